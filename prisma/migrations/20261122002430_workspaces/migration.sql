-- AlterTable
ALTER TABLE "generation" ADD COLUMN     "workspace_id" UUID;

-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "include_byok_in_limit" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "requests_per_minute" INTEGER;

-- AlterTable
ALTER TABLE "key_usage" ADD COLUMN     "byok_pico_eur" DECIMAL(38,0) NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "authorization_code" ADD COLUMN     "maker_id" UUID;

-- AlterTable
ALTER TABLE "workspace" ADD COLUMN     "description" TEXT,
ADD COLUMN     "limit_pico_eur" DECIMAL(38,0),
ADD COLUMN     "limit_reset" TEXT,
ADD COLUMN     "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

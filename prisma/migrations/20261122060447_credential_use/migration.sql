-- AlterTable
ALTER TABLE "generation" ADD COLUMN     "credential_id" UUID;

-- AlterTable
ALTER TABLE "provider_credential" ADD COLUMN     "last_check" JSONB,
ADD COLUMN     "last_four" TEXT,
ADD COLUMN     "last_used_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "audit_entry" ADD COLUMN     "hash" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "position" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "previous_hash" TEXT NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "credit_balance" ADD COLUMN     "period" TEXT,
ADD COLUMN     "period_start" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "allowed_models" TEXT[],
ADD COLUMN     "limit_pico_eur" DECIMAL(38,0),
ADD COLUMN     "limit_reset" TEXT,
ADD COLUMN     "models_restricted" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "parent_id" UUID;

-- CreateTable
CREATE TABLE "audit_head" (
    "org_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "audit_head_pkey" PRIMARY KEY ("org_id")
);

-- CreateTable
CREATE TABLE "key_usage" (
    "api_key_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "cost_pico_eur" DECIMAL(38,0) NOT NULL,

    CONSTRAINT "key_usage_pkey" PRIMARY KEY ("api_key_id","day")
);

-- CreateTable
CREATE TABLE "authorization_code" (
    "id" UUID NOT NULL,
    "digest" TEXT NOT NULL,
    "challenge" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "callback_url" TEXT NOT NULL,
    "client_id" TEXT,
    "org_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "workspace_id" UUID,
    "parent_id" UUID,
    "key_name" TEXT NOT NULL,
    "permissions" TEXT[],
    "models_restricted" BOOLEAN NOT NULL DEFAULT false,
    "allowed_models" TEXT[],
    "limit_pico_eur" DECIMAL(38,0),
    "limit_reset" TEXT,
    "key_expires_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "key_id" UUID,

    CONSTRAINT "authorization_code_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "authorization_code_digest_key" ON "authorization_code"("digest");

-- CreateIndex
CREATE INDEX "authorization_code_expires_at_idx" ON "authorization_code"("expires_at");

-- CreateIndex
CREATE INDEX "audit_entry_org_id_position_idx" ON "audit_entry"("org_id", "position");

-- CreateIndex
CREATE INDEX "api_key_parent_id_idx" ON "api_key"("parent_id");

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "api_key"("id") ON DELETE CASCADE ON UPDATE CASCADE;

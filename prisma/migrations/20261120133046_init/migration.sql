-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "user" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "image" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session" (
    "id" UUID NOT NULL,
    "token" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "ip_address" TEXT,
    "user_agent" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account" (
    "id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "access_token" TEXT,
    "refresh_token" TEXT,
    "id_token" TEXT,
    "access_token_expires_at" TIMESTAMPTZ(3),
    "refresh_token_expires_at" TIMESTAMPTZ(3),
    "scope" TEXT,
    "password" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "verification" (
    "id" UUID NOT NULL,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "verification_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "organisation" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "plan" TEXT NOT NULL DEFAULT 'self_hosted',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "organisation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "member" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "member_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" BIGSERIAL NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "org_id" UUID NOT NULL,
    "actor_type" TEXT NOT NULL,
    "actor_id" TEXT,
    "action" TEXT NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "request_id" TEXT,
    "ip_address" TEXT,
    "before" JSONB,
    "after" JSONB,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "generation" (
    "id" UUID NOT NULL,
    "request_id" TEXT NOT NULL,
    "org_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "api_key_id" UUID NOT NULL,
    "operation" TEXT NOT NULL,
    "model_requested" TEXT NOT NULL,
    "model" TEXT,
    "provider" TEXT,
    "endpoint" TEXT,
    "region" TEXT,
    "status" TEXT NOT NULL,
    "error_code" TEXT,
    "http_status" INTEGER NOT NULL,
    "finish_reason" TEXT,
    "native_finish_reason" TEXT,
    "streamed" BOOLEAN NOT NULL,
    "cancelled" BOOLEAN NOT NULL,
    "strategy" TEXT NOT NULL,
    "attempts" JSONB NOT NULL,
    "decision" JSONB NOT NULL,
    "parameters" JSONB NOT NULL,
    "prompt_tokens" INTEGER NOT NULL,
    "completion_tokens" INTEGER NOT NULL,
    "cached_tokens" INTEGER NOT NULL,
    "cache_write_tokens" INTEGER NOT NULL,
    "reasoning_tokens" INTEGER NOT NULL,
    "search_units" INTEGER NOT NULL,
    "usage_estimated" BOOLEAN NOT NULL,
    "is_byok" BOOLEAN NOT NULL,
    "price_version" TEXT,
    "fx_usd_per_eur" DECIMAL(24,12) NOT NULL,
    "fx_date" TEXT NOT NULL,
    "cost_pico_usd" DECIMAL(38,0) NOT NULL,
    "cost_pico_eur" DECIMAL(38,0) NOT NULL,
    "upstream_pico_usd" DECIMAL(38,0) NOT NULL,
    "cost_details" JSONB NOT NULL,
    "user_reference" TEXT,
    "session_id" TEXT,
    "app_title" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "latency_ms" INTEGER,
    "duration_ms" INTEGER NOT NULL,

    CONSTRAINT "generation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_transfer" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "from_account" TEXT NOT NULL,
    "to_account" TEXT NOT NULL,
    "amount_pico_eur" DECIMAL(38,0) NOT NULL,
    "kind" TEXT NOT NULL,
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_transfer_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credit_balance" (
    "org_id" UUID NOT NULL,
    "granted_pico_eur" DECIMAL(38,0) NOT NULL DEFAULT 0,
    "used_pico_eur" DECIMAL(38,0) NOT NULL DEFAULT 0,
    "leased_pico_eur" DECIMAL(38,0) NOT NULL DEFAULT 0,

    CONSTRAINT "credit_balance_pkey" PRIMARY KEY ("org_id")
);

-- CreateTable
CREATE TABLE "credit_lease" (
    "instance_id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "remaining_pico_eur" DECIMAL(38,0) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "credit_lease_pkey" PRIMARY KEY ("instance_id","org_id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "public_id" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "last_four" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "org_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "permissions" TEXT[],
    "disabled" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "config_version" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "version" BIGINT NOT NULL DEFAULT 1,

    CONSTRAINT "config_version_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "user_email_key" ON "user"("email");

-- CreateIndex
CREATE UNIQUE INDEX "session_token_key" ON "session"("token");

-- CreateIndex
CREATE INDEX "session_user_id_idx" ON "session"("user_id");

-- CreateIndex
CREATE INDEX "account_user_id_idx" ON "account"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "account_provider_id_account_id_key" ON "account"("provider_id", "account_id");

-- CreateIndex
CREATE INDEX "verification_identifier_idx" ON "verification"("identifier");

-- CreateIndex
CREATE UNIQUE INDEX "organisation_slug_key" ON "organisation"("slug");

-- CreateIndex
CREATE INDEX "member_user_id_idx" ON "member"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "member_org_id_user_id_key" ON "member"("org_id", "user_id");

-- CreateIndex
CREATE INDEX "audit_entry_org_id_id_idx" ON "audit_entry"("org_id", "id" DESC);

-- CreateIndex
CREATE INDEX "generation_org_id_started_at_id_idx" ON "generation"("org_id", "started_at" DESC, "id");

-- CreateIndex
CREATE INDEX "ledger_transfer_org_id_id_idx" ON "ledger_transfer"("org_id", "id");

-- CreateIndex
CREATE INDEX "credit_lease_expires_at_idx" ON "credit_lease"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_public_id_key" ON "api_key"("public_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_digest_key" ON "api_key"("digest");

-- CreateIndex
CREATE INDEX "api_key_org_id_created_at_id_idx" ON "api_key"("org_id", "created_at" DESC, "id");

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account" ADD CONSTRAINT "account_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "member" ADD CONSTRAINT "member_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organisation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "member" ADD CONSTRAINT "member_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organisation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "provider_credential" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "disabled" BOOLEAN NOT NULL DEFAULT false,
    "is_fallback" BOOLEAN NOT NULL DEFAULT false,
    "sort_order" INTEGER NOT NULL DEFAULT 0,
    "models_restricted" BOOLEAN NOT NULL DEFAULT false,
    "allowed_models" TEXT[],
    "keys_restricted" BOOLEAN NOT NULL DEFAULT false,
    "allowed_keys" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "provider_credential_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "provider_credential_org_id_provider_sort_order_id_idx" ON "provider_credential"("org_id", "provider", "sort_order", "id");

-- AddForeignKey
ALTER TABLE "provider_credential" ADD CONSTRAINT "provider_credential_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organisation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AlterTable
ALTER TABLE "generation" ADD COLUMN     "personal_hash" BYTEA,
ADD COLUMN     "personal_salt" BYTEA;

-- AlterTable
ALTER TABLE "log_tree" ADD COLUMN     "has_requests" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "log_bundle" ADD COLUMN     "ids_from" UUID,
ADD COLUMN     "ids_to" UUID;

-- CreateTable
CREATE TABLE "log_pending" (
    "org_id" UUID NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "entries" BYTEA NOT NULL,

    CONSTRAINT "log_pending_pkey" PRIMARY KEY ("org_id","id")
);

-- CreateIndex
CREATE INDEX "log_bundle_org_id_ids_to_ids_from_idx" ON "log_bundle"("org_id", "ids_to", "ids_from");

-- CreateTable
CREATE TABLE "endpoint_facts" (
    "org_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "body" JSON NOT NULL,
    "seen_on" DATE NOT NULL,

    CONSTRAINT "endpoint_facts_pkey" PRIMARY KEY ("org_id","hash")
);

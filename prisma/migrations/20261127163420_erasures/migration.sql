-- AlterTable
ALTER TABLE "conversation_item" ADD COLUMN     "generation_id" UUID;

-- CreateTable
CREATE TABLE "erasure" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_hash" TEXT NOT NULL,
    "subject" TEXT,
    "dry_run" BOOLEAN NOT NULL,
    "reference" TEXT,
    "status" TEXT NOT NULL,
    "requests_until" TIMESTAMPTZ(3) NOT NULL,
    "scanned_until" TIMESTAMPTZ(3),
    "scanned_id" UUID,
    "counts" JSONB NOT NULL,
    "destinations" JSONB NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "erasure_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "erasure_org_id_created_at_id_idx" ON "erasure"("org_id", "created_at" DESC, "id");

-- CreateIndex
CREATE INDEX "conversation_item_generation_id_idx" ON "conversation_item"("generation_id");

-- AddForeignKey
ALTER TABLE "erasure" ADD CONSTRAINT "erasure_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organisation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

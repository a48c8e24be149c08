-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "app_host" TEXT;

-- CreateIndex
CREATE INDEX "ledger_transfer_org_id_created_at_id_idx" ON "ledger_transfer"("org_id", "created_at" DESC, "id" DESC);

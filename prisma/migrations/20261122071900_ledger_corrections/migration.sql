-- Grants, adjustments and refunds are few among millions of charges. Prisma's schema knows no partial indexes.
CREATE INDEX "ledger_transfer_not_usage_idx" ON "ledger_transfer"("org_id", "kind", "created_at" DESC, "id" DESC) WHERE "kind" <> 'usage';

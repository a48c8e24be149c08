-- `generation` and `ledger_transfer` are divided into months, so that a month can be dropped at once. Months are added
-- by `db/months.ts`. Existing rows become the partition `…_past`, without being read or copied.
ALTER TABLE "generation" RENAME TO "generation_past";
ALTER INDEX "generation_pkey" RENAME TO "generation_past_pkey";
ALTER INDEX "generation_org_id_started_at_id_idx" RENAME TO "generation_past_org_id_started_at_id_idx";
ALTER INDEX "generation_org_id_request_id_idx" RENAME TO "generation_past_org_id_request_id_idx";
ALTER INDEX "generation_session_idx" RENAME TO "generation_past_session_idx";

CREATE TABLE "generation" (LIKE "generation_past" INCLUDING DEFAULTS) PARTITION BY RANGE ("id");
ALTER TABLE "generation" ADD CONSTRAINT "generation_pkey" PRIMARY KEY ("id");
CREATE INDEX "generation_org_id_started_at_id_idx" ON "generation"("org_id", "started_at" DESC, "id");
CREATE INDEX "generation_org_id_request_id_idx" ON "generation"("org_id", "request_id");
CREATE INDEX "generation_session_idx" ON "generation"("org_id", "session_id") WHERE "session_id" IS NOT NULL;

ALTER TABLE "ledger_transfer" RENAME TO "ledger_transfer_past";
ALTER INDEX "ledger_transfer_pkey" RENAME TO "ledger_transfer_past_pkey";
ALTER INDEX "ledger_transfer_org_id_created_at_id_idx" RENAME TO "ledger_transfer_past_org_id_created_at_id_idx";
ALTER INDEX "ledger_transfer_not_usage_idx" RENAME TO "ledger_transfer_past_not_usage_idx";

CREATE TABLE "ledger_transfer" (LIKE "ledger_transfer_past" INCLUDING DEFAULTS) PARTITION BY RANGE ("id");
ALTER TABLE "ledger_transfer" ADD CONSTRAINT "ledger_transfer_pkey" PRIMARY KEY ("id");
CREATE INDEX "ledger_transfer_org_id_created_at_id_idx" ON "ledger_transfer"("org_id", "created_at" DESC, "id" DESC);
CREATE INDEX "ledger_transfer_not_usage_idx" ON "ledger_transfer"("org_id", "kind", "created_at" DESC, "id" DESC) WHERE "kind" <> 'usage';

-- Refunds have ids without a time.
CREATE TABLE "ledger_transfer_other" (LIKE "ledger_transfer_past" INCLUDING ALL);
WITH bound AS (
  SELECT substring(pg_get_constraintdef(oid) FROM '''([0-9a-f-]{36})''')::UUID AS id
  FROM pg_constraint WHERE conname = 'generation_past_bound' AND conrelid = 'generation_past'::regclass
), moved AS (
  DELETE FROM "ledger_transfer_past" USING bound WHERE "ledger_transfer_past"."id" >= bound.id
  RETURNING "ledger_transfer_past".*
)
INSERT INTO "ledger_transfer_other" SELECT * FROM moved;

DO $$
DECLARE
  bound UUID := substring(pg_get_constraintdef(oid) FROM '''([0-9a-f-]{36})''')::UUID
    FROM pg_constraint WHERE conname = 'generation_past_bound' AND conrelid = 'generation_past'::regclass;
BEGIN
  -- A new installation has no past.
  IF EXISTS (SELECT FROM "generation_past") OR EXISTS (SELECT FROM "ledger_transfer_past") THEN
    EXECUTE format('ALTER TABLE "generation" ATTACH PARTITION "generation_past" FOR VALUES FROM (MINVALUE) TO (%L)', bound);
    EXECUTE format('ALTER TABLE "ledger_transfer" ATTACH PARTITION "ledger_transfer_past" FOR VALUES FROM (MINVALUE) TO (%L)', bound);
  ELSE
    DROP TABLE "generation_past";
    DROP TABLE "ledger_transfer_past";
  END IF;
END $$;

ALTER TABLE "generation" ATTACH PARTITION "generation_other" DEFAULT;
ALTER TABLE "ledger_transfer" ATTACH PARTITION "ledger_transfer_other" DEFAULT;

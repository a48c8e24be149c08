-- DropForeignKey
ALTER TABLE "alert_incident" DROP CONSTRAINT "alert_incident_rule_id_fkey";

-- AlterTable
ALTER TABLE "alert_channel" ADD COLUMN     "paused_reason" TEXT,
ADD COLUMN     "paused_since" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "alert_incident" ADD COLUMN     "kind" TEXT,
ADD COLUMN     "resolution" TEXT,
ADD COLUMN     "rule_name" TEXT,
ADD COLUMN     "scope" TEXT;

-- Incidents get what they say of their rules.
UPDATE "alert_incident" SET "rule_name" = "alert_rule"."name", "kind" = "alert_rule"."kind", "scope" = "alert_rule"."scope",
  "resolution" = CASE WHEN "resolved_at" IS NOT NULL THEN 'ended' END
FROM "alert_rule" WHERE "alert_rule"."id" = "alert_incident"."rule_id";

ALTER TABLE "alert_incident" ALTER COLUMN "kind" SET NOT NULL,
ALTER COLUMN "rule_name" SET NOT NULL,
ALTER COLUMN "scope" SET NOT NULL;

-- When it began is not known.
UPDATE "alert_channel" SET "paused_since" = now() WHERE "paused_until" IS NOT NULL;

-- AddForeignKey
ALTER TABLE "alert_incident" ADD CONSTRAINT "alert_incident_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organisation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

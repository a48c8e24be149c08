-- DropIndex
DROP INDEX "alert_notification_channel_id_idx";

-- AlterTable
ALTER TABLE "alert_channel" ADD COLUMN     "failures" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "paused_until" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "alert_notification_channel_id_created_at_idx" ON "alert_notification"("channel_id", "created_at");

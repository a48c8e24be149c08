-- AlterTable
ALTER TABLE "alert_channel" ADD COLUMN     "confirmation_digest" TEXT,
ADD COLUMN     "confirmation_expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "confirmed_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "alert_confirmation_mail" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "address_digest" TEXT NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "alert_confirmation_mail_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "alert_confirmation_mail_org_id_sent_at_idx" ON "alert_confirmation_mail"("org_id", "sent_at");

-- CreateIndex
CREATE INDEX "alert_confirmation_mail_address_digest_sent_at_idx" ON "alert_confirmation_mail"("address_digest", "sent_at");

-- CreateIndex
CREATE INDEX "alert_confirmation_mail_sent_at_idx" ON "alert_confirmation_mail"("sent_at");

-- CreateIndex
CREATE UNIQUE INDEX "alert_channel_confirmation_digest_key" ON "alert_channel"("confirmation_digest");

-- AddForeignKey
ALTER TABLE "alert_confirmation_mail" ADD CONSTRAINT "alert_confirmation_mail_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organisation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Addresses that get alerts already go on getting them.
UPDATE "alert_channel" SET "confirmed_at" = "created_at" WHERE "type" = 'email';

-- CreateTable
CREATE TABLE "alert_mute" (
    "rule_id" UUID NOT NULL,
    "subject" TEXT NOT NULL,
    "muted_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "alert_mute_pkey" PRIMARY KEY ("rule_id","subject")
);

-- CreateIndex
CREATE INDEX "alert_mute_muted_until_idx" ON "alert_mute"("muted_until");

-- AddForeignKey
ALTER TABLE "alert_mute" ADD CONSTRAINT "alert_mute_rule_id_fkey" FOREIGN KEY ("rule_id") REFERENCES "alert_rule"("id") ON DELETE CASCADE ON UPDATE CASCADE;

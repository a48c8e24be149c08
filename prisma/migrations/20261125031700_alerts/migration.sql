-- CreateTable
CREATE TABLE "alert_channel" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "secrets" TEXT NOT NULL,
    "is_signed" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "alert_channel_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert_rule" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "settings" JSONB NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "muted_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "alert_rule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert_rule_channel" (
    "rule_id" UUID NOT NULL,
    "channel_id" UUID NOT NULL,

    CONSTRAINT "alert_rule_channel_pkey" PRIMARY KEY ("rule_id","channel_id")
);

-- CreateTable
CREATE TABLE "alert_incident" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "rule_id" UUID NOT NULL,
    "subject" TEXT NOT NULL,
    "open_subject" TEXT,
    "title" TEXT NOT NULL,
    "detail" TEXT NOT NULL,
    "opened_at" TIMESTAMPTZ(3) NOT NULL,
    "resolved_at" TIMESTAMPTZ(3),
    "notified_at" TIMESTAMPTZ(3),

    CONSTRAINT "alert_incident_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert_notification" (
    "id" UUID NOT NULL,
    "incident_id" UUID NOT NULL,
    "channel_id" UUID NOT NULL,
    "event" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "sent_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "alert_notification_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "alert_channel_org_id_created_at_id_idx" ON "alert_channel"("org_id", "created_at" DESC, "id");

-- CreateIndex
CREATE UNIQUE INDEX "alert_channel_org_id_name_key" ON "alert_channel"("org_id", "name");

-- CreateIndex
CREATE INDEX "alert_rule_org_id_created_at_id_idx" ON "alert_rule"("org_id", "created_at" DESC, "id");

-- CreateIndex
CREATE UNIQUE INDEX "alert_rule_org_id_name_key" ON "alert_rule"("org_id", "name");

-- CreateIndex
CREATE INDEX "alert_rule_channel_channel_id_idx" ON "alert_rule_channel"("channel_id");

-- CreateIndex
CREATE INDEX "alert_incident_org_id_opened_at_id_idx" ON "alert_incident"("org_id", "opened_at" DESC, "id");

-- CreateIndex
CREATE INDEX "alert_incident_rule_id_opened_at_id_idx" ON "alert_incident"("rule_id", "opened_at" DESC, "id");

-- CreateIndex
CREATE INDEX "alert_incident_resolved_at_idx" ON "alert_incident"("resolved_at");

-- CreateIndex
CREATE UNIQUE INDEX "alert_incident_rule_id_open_subject_key" ON "alert_incident"("rule_id", "open_subject");

-- CreateIndex
CREATE INDEX "alert_notification_channel_id_idx" ON "alert_notification"("channel_id");

-- CreateIndex
CREATE UNIQUE INDEX "alert_notification_incident_id_channel_id_event_key" ON "alert_notification"("incident_id", "channel_id", "event");

-- AddForeignKey
ALTER TABLE "alert_channel" ADD CONSTRAINT "alert_channel_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organisation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_rule" ADD CONSTRAINT "alert_rule_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organisation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_rule_channel" ADD CONSTRAINT "alert_rule_channel_rule_id_fkey" FOREIGN KEY ("rule_id") REFERENCES "alert_rule"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_rule_channel" ADD CONSTRAINT "alert_rule_channel_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "alert_channel"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_incident" ADD CONSTRAINT "alert_incident_rule_id_fkey" FOREIGN KEY ("rule_id") REFERENCES "alert_rule"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_notification" ADD CONSTRAINT "alert_notification_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "alert_incident"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_notification" ADD CONSTRAINT "alert_notification_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "alert_channel"("id") ON DELETE CASCADE ON UPDATE CASCADE;

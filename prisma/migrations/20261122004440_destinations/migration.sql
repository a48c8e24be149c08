-- CreateTable
CREATE TABLE "destination" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "name_key" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "owner_id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "workspace_id" UUID,
    "config" JSONB NOT NULL,
    "secrets" TEXT NOT NULL,
    "privacy_mode" BOOLEAN NOT NULL,
    "sampling_rate" DECIMAL(5,4) NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "api_key_filter" UUID[],
    "filter_rules" JSONB,
    "residency" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "paused_until" TIMESTAMPTZ(3),
    "stopped_reason" TEXT,
    "last_error" TEXT,
    "last_delivered_at" TIMESTAMPTZ(3),
    "dropped" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "destination_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "destination_delivery" (
    "id" UUID NOT NULL,
    "destination_id" UUID NOT NULL,
    "generation_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "payload" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "response_code" INTEGER,
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "destination_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "destination_org_id_created_at_id_idx" ON "destination"("org_id", "created_at" DESC, "id");

-- CreateIndex
CREATE UNIQUE INDEX "destination_owner_id_type_name_key_key" ON "destination"("owner_id", "type", "name_key");

-- CreateIndex
CREATE INDEX "destination_delivery_destination_id_status_due_at_idx" ON "destination_delivery"("destination_id", "status", "due_at");

-- CreateIndex
CREATE INDEX "destination_delivery_destination_id_id_idx" ON "destination_delivery"("destination_id", "id");

-- CreateIndex
CREATE INDEX "destination_delivery_finished_at_idx" ON "destination_delivery"("finished_at");

-- CreateIndex
CREATE UNIQUE INDEX "destination_delivery_destination_id_generation_id_key" ON "destination_delivery"("destination_id", "generation_id");

-- AddForeignKey
ALTER TABLE "destination" ADD CONSTRAINT "destination_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organisation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "destination" ADD CONSTRAINT "destination_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "destination_delivery" ADD CONSTRAINT "destination_delivery_destination_id_fkey" FOREIGN KEY ("destination_id") REFERENCES "destination"("id") ON DELETE CASCADE ON UPDATE CASCADE;

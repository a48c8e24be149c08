-- CreateTable
CREATE TABLE "log_timestamp" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "authority" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "checkpoint" TEXT NOT NULL,
    "response" BYTEA NOT NULL,
    "stamped_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "log_timestamp_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "log_timestamp_org_id_stamped_at_id_idx" ON "log_timestamp"("org_id", "stamped_at" DESC, "id" DESC);

-- AlterTable
ALTER TABLE "generation" ADD COLUMN     "usage_implausible" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "instance_heartbeat" (
    "instance_id" UUID NOT NULL,
    "beat_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "instance_heartbeat_pkey" PRIMARY KEY ("instance_id")
);

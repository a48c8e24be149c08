-- AlterTable
ALTER TABLE "usage_day" ADD COLUMN     "cancelled" BIGINT,
ADD COLUMN     "failed" BIGINT,
ADD COLUMN     "interrupted" BIGINT;

-- CreateTable
CREATE TABLE "usage_hour" (
    "org_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "api_key_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "model" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "requests" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL,
    "cancelled" INTEGER NOT NULL,
    "interrupted" INTEGER NOT NULL,
    "prompt_tokens" BIGINT NOT NULL,
    "completion_tokens" BIGINT NOT NULL,
    "cost_pico_usd" DECIMAL(38,0) NOT NULL,
    "cost_pico_eur" DECIMAL(38,0) NOT NULL,

    CONSTRAINT "usage_hour_pkey" PRIMARY KEY ("org_id","hour","api_key_id","workspace_id","model","provider")
);

-- CreateTable
CREATE TABLE "latency_hour" (
    "org_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "durations" INTEGER[],
    "first_contents" INTEGER[],

    CONSTRAINT "latency_hour_pkey" PRIMARY KEY ("org_id","hour")
);

-- CreateTable
CREATE TABLE "history_state" (
    "id" INTEGER NOT NULL,
    "sums_from" TIMESTAMPTZ(0) NOT NULL,
    "requests_from" DATE NOT NULL DEFAULT '1970-01-01'::date,

    CONSTRAINT "history_state_pkey" PRIMARY KEY ("id")
);

-- Processes of the earlier version may book for a while and know none of these tables: what they book is added
-- afterwards. A new database is complete from the beginning.
INSERT INTO "history_state" ("id", "sums_from")
SELECT 1, CASE WHEN EXISTS (SELECT FROM "generation") THEN date_trunc('day', now(), 'UTC') + INTERVAL '2 days'
  ELSE TIMESTAMPTZ '1970-01-01 00:00:00+00' END;

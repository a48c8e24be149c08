-- CreateTable
CREATE TABLE "usage_day" (
    "org_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "api_key_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "model" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "is_byok" BOOLEAN NOT NULL,
    "requests" BIGINT NOT NULL,
    "errors" BIGINT NOT NULL,
    "prompt_tokens" BIGINT NOT NULL,
    "completion_tokens" BIGINT NOT NULL,
    "cached_tokens" BIGINT NOT NULL,
    "reasoning_tokens" BIGINT NOT NULL,
    "search_units" BIGINT NOT NULL,
    "cost_pico_usd" DECIMAL(38,0) NOT NULL,
    "cost_pico_eur" DECIMAL(38,0) NOT NULL,
    "upstream_pico_usd" DECIMAL(38,0) NOT NULL,

    CONSTRAINT "usage_day_pkey" PRIMARY KEY ("org_id","day","api_key_id","workspace_id","model","provider","is_byok")
);

-- CreateTable
CREATE TABLE "exchange_rate" (
    "day" DATE NOT NULL,
    "usd_per_eur" DECIMAL(24,12) NOT NULL,
    "source" TEXT NOT NULL,
    "fetched_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "exchange_rate_pkey" PRIMARY KEY ("day")
);

-- CreateTable
CREATE TABLE "price_book_entry" (
    "id" UUID NOT NULL,
    "endpoint" TEXT NOT NULL,
    "valid_from" TIMESTAMPTZ(3) NOT NULL,
    "price" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "price_book_entry_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "price_book_entry_endpoint_valid_from_idx" ON "price_book_entry"("endpoint", "valid_from");

-- What was booked before reports read `usage_day`
UPDATE "generation" SET "workspace_id" = "api_key"."workspace_id" FROM "api_key" WHERE "api_key"."id" = "generation"."api_key_id" AND "api_key"."workspace_id" IS NOT NULL;

INSERT INTO "usage_day"
SELECT "org_id", ("started_at" AT TIME ZONE 'UTC')::date, "api_key_id", COALESCE("workspace_id", '00000000-0000-0000-0000-000000000000'),
  COALESCE("model", "model_requested"), COALESCE("provider", ''), "is_byok", COUNT(*), COUNT("error_code"),
  SUM("prompt_tokens"), SUM("completion_tokens"), SUM("cached_tokens"), SUM("reasoning_tokens"), SUM("search_units"),
  SUM("cost_pico_usd"), SUM("cost_pico_eur"), SUM("upstream_pico_usd")
FROM "generation" GROUP BY 1, 2, 3, 4, 5, 6, 7;

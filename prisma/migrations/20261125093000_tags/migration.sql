-- AlterTable
ALTER TABLE "organisation" ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "generation" ADD COLUMN     "tags" JSONB;

-- CreateTable
CREATE TABLE "usage_tag_day" (
    "org_id" UUID NOT NULL,
    "tag" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "tag_value" TEXT NOT NULL,
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

    CONSTRAINT "usage_tag_day_pkey" PRIMARY KEY ("org_id","tag","day","tag_value","api_key_id","workspace_id","model","provider","is_byok")
);

-- CreateTable
CREATE TABLE "tag_value" (
    "org_id" UUID NOT NULL,
    "tag" TEXT NOT NULL,
    "month" DATE NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "tag_value_pkey" PRIMARY KEY ("org_id","tag","month","value")
);

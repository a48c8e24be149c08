-- CreateTable
CREATE TABLE "refused_request" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "api_key_id" UUID NOT NULL,
    "workspace_id" UUID,
    "operation" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "error_code" TEXT NOT NULL,
    "param" TEXT NOT NULL,
    "http_status" INTEGER NOT NULL,
    "message" TEXT NOT NULL,
    "metadata" JSONB NOT NULL,
    "request_ids" TEXT[],
    "count" INTEGER NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "refused_request_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "refused_request_org_id_last_at_id_idx" ON "refused_request"("org_id", "last_at" DESC, "id");

-- CreateIndex
CREATE UNIQUE INDEX "refused_request_org_id_day_api_key_id_operation_model_error_key" ON "refused_request"("org_id", "day", "api_key_id", "operation", "model", "error_code", "param");

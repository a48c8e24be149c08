-- CreateTable
CREATE TABLE "stored_completion" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "workspace_id" UUID,
    "api_key_id" UUID NOT NULL,
    "user_id" UUID,
    "model" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "messages" TEXT NOT NULL,
    "completion" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stored_completion_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "stored_completion_expires_at_idx" ON "stored_completion"("expires_at");

-- CreateIndex
CREATE INDEX "stored_completion_org_id_id_idx" ON "stored_completion"("org_id", "id");

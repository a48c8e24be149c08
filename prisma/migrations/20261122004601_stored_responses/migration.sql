-- CreateTable
CREATE TABLE "stored_response" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "workspace_id" UUID,
    "api_key_id" UUID NOT NULL,
    "previous_id" UUID,
    "status" TEXT NOT NULL,
    "background" BOOLEAN NOT NULL,
    "streamed" BOOLEAN NOT NULL,
    "item_ids" TEXT[],
    "content" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stored_response_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "stored_response_event" (
    "response_id" UUID NOT NULL,
    "sequence_number" INTEGER NOT NULL,
    "frames" TEXT NOT NULL,

    CONSTRAINT "stored_response_event_pkey" PRIMARY KEY ("response_id","sequence_number")
);

-- CreateIndex
CREATE INDEX "stored_response_expires_at_idx" ON "stored_response"("expires_at");

-- CreateIndex
CREATE INDEX "stored_response_item_ids_idx" ON "stored_response" USING GIN ("item_ids");

-- AddForeignKey
ALTER TABLE "stored_response_event" ADD CONSTRAINT "stored_response_event_response_id_fkey" FOREIGN KEY ("response_id") REFERENCES "stored_response"("id") ON DELETE CASCADE ON UPDATE CASCADE;

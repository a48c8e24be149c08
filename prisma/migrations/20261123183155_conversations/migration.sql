-- CreateTable
CREATE TABLE "conversation" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "workspace_id" UUID,
    "api_key_id" UUID,
    "user_id" UUID,
    "metadata" TEXT NOT NULL,
    "next_position" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "conversation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "conversation_item" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "conversation_id" UUID NOT NULL,
    "item_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "content" TEXT NOT NULL,

    CONSTRAINT "conversation_item_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "conversation_expires_at_idx" ON "conversation"("expires_at");

-- CreateIndex
CREATE INDEX "conversation_org_id_idx" ON "conversation"("org_id");

-- CreateIndex
CREATE INDEX "conversation_item_conversation_id_position_idx" ON "conversation_item"("conversation_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "conversation_item_conversation_id_item_id_key" ON "conversation_item"("conversation_id", "item_id");

-- AddForeignKey
ALTER TABLE "conversation_item" ADD CONSTRAINT "conversation_item_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AlterTable: answers were sealed in another form, which nobody reads any more, so retries of their requests are refused
ALTER TABLE "idempotent_request" ALTER COLUMN "answer" SET DATA TYPE TEXT USING NULL;

-- CreateTable
CREATE TABLE "sealing_key" (
    "id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "moved" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "sealing_key_pkey" PRIMARY KEY ("id")
);

-- The keys that are in use already.
INSERT INTO "sealing_key" ("id")
SELECT split_part("secret", '.', 2) FROM "provider_credential"
UNION SELECT split_part("secrets", '.', 2) FROM "destination"
UNION SELECT split_part("payload", '.', 2) FROM "destination_delivery" WHERE "payload" IS NOT NULL
UNION SELECT split_part("content", '.', 2) FROM "stored_response"
UNION SELECT split_part("frames", '.', 2) FROM "stored_response_event";

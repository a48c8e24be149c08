-- AlterTable
ALTER TABLE "stored_response" ADD COLUMN     "user_id" UUID;

-- Who owns the key that asked. Of a key that is gone the generation knows.
UPDATE "stored_response" SET "user_id" = "api_key"."user_id" FROM "api_key"
WHERE "api_key"."id" = "stored_response"."api_key_id";
UPDATE "stored_response" SET "user_id" = "generation"."user_id" FROM "generation"
WHERE "generation"."id" = "stored_response"."id" AND "stored_response"."user_id" IS NULL;

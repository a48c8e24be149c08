-- AlterTable
ALTER TABLE "invitation" ADD COLUMN     "maker_id" UUID;

-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "maker_id" UUID;

-- CreateIndex
CREATE INDEX "api_key_maker_id_idx" ON "api_key"("maker_id");

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_maker_id_fkey" FOREIGN KEY ("maker_id") REFERENCES "api_key"("id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- Who made the others was not written down.
UPDATE "api_key" SET "maker_id" = "parent_id" WHERE "parent_id" IS NOT NULL;
UPDATE "api_key" SET "maker_id" = "authorization_code"."maker_id" FROM "authorization_code"
WHERE "authorization_code"."key_id" = "api_key"."id" AND "api_key"."maker_id" IS NULL
  AND EXISTS (SELECT FROM "api_key" AS "maker" WHERE "maker"."id" = "authorization_code"."maker_id");

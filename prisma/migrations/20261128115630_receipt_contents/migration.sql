-- AlterTable
ALTER TABLE "generation" ADD COLUMN     "answer_digest" BYTEA,
ADD COLUMN     "destinations" JSONB,
ADD COLUMN     "request_digest" BYTEA;

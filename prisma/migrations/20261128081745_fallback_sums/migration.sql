-- AlterTable
ALTER TABLE "usage_day" ADD COLUMN     "fallbacks" BIGINT;

-- AlterTable
ALTER TABLE "usage_hour" ADD COLUMN     "fallbacks" INTEGER;

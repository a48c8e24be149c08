-- AlterTable
ALTER TABLE "budget" ADD COLUMN     "enabled" BOOLEAN NOT NULL DEFAULT true;

-- AlterTable
ALTER TABLE "erasure" ADD COLUMN     "repeated" BOOLEAN NOT NULL DEFAULT false;

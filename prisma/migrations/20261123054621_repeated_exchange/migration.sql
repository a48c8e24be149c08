-- AlterTable
ALTER TABLE "authorization_code" ADD COLUMN     "answer" TEXT;

-- AlterTable
ALTER TABLE "provider_credential" ADD COLUMN     "shared" BOOLEAN NOT NULL DEFAULT false;

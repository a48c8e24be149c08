-- AlterTable
ALTER TABLE "audit_entry" ADD COLUMN     "signature" TEXT NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "audit_head" ADD COLUMN     "signature" TEXT NOT NULL DEFAULT '';

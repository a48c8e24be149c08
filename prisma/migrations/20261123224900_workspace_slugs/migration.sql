-- AlterTable
ALTER TABLE "workspace" ADD COLUMN     "slug" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "workspace_org_id_slug_key" ON "workspace"("org_id", "slug");

-- CreateTable
CREATE TABLE "catalogue_update" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "source" TEXT NOT NULL,
    "as_of" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "document" TEXT NOT NULL,
    "version" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "applied_at" TIMESTAMPTZ(3),
    "undone_at" TIMESTAMPTZ(3),

    CONSTRAINT "catalogue_update_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "catalogue_update_org_id_created_at_id_idx" ON "catalogue_update"("org_id", "created_at" DESC, "id");

-- AddForeignKey
ALTER TABLE "catalogue_update" ADD CONSTRAINT "catalogue_update_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organisation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "catalogue_entry" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "scope" TEXT NOT NULL,
    "section" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "body" JSONB NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "source" TEXT,
    "as_of" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "catalogue_entry_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "catalogue_entry_org_id_created_at_id_idx" ON "catalogue_entry"("org_id", "created_at" DESC, "id");

-- CreateIndex
CREATE UNIQUE INDEX "catalogue_entry_org_id_scope_section_name_key" ON "catalogue_entry"("org_id", "scope", "section", "name");

-- AddForeignKey
ALTER TABLE "catalogue_entry" ADD CONSTRAINT "catalogue_entry_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organisation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

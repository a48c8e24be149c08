-- CreateTable
CREATE TABLE "legal_hold" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "reference" TEXT,
    "subject_type" TEXT,
    "subject" TEXT,
    "subject_hash" TEXT,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "released_by" UUID,
    "released_at" TIMESTAMPTZ(3),

    CONSTRAINT "legal_hold_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "legal_hold_org_id_created_at_id_idx" ON "legal_hold"("org_id", "created_at" DESC, "id");

-- AddForeignKey
ALTER TABLE "legal_hold" ADD CONSTRAINT "legal_hold_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organisation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "evidence_package" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "filter" JSONB NOT NULL,
    "status" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "requests" INTEGER NOT NULL DEFAULT 0,
    "read_until" TIMESTAMPTZ(3),
    "size_bytes" INTEGER,
    "sha256" TEXT,
    "failure" TEXT,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "evidence_package_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "evidence_package_part" (
    "package_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "number" INTEGER NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "evidence_package_part_pkey" PRIMARY KEY ("package_id","attempt","number")
);

-- CreateIndex
CREATE INDEX "evidence_package_org_id_created_at_id_idx" ON "evidence_package"("org_id", "created_at" DESC, "id");

-- CreateIndex
CREATE INDEX "evidence_package_expires_at_idx" ON "evidence_package"("expires_at");

-- AddForeignKey
ALTER TABLE "evidence_package" ADD CONSTRAINT "evidence_package_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organisation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "evidence_package_part" ADD CONSTRAINT "evidence_package_part_package_id_fkey" FOREIGN KEY ("package_id") REFERENCES "evidence_package"("id") ON DELETE CASCADE ON UPDATE CASCADE;

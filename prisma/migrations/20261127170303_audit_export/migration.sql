-- CreateTable
CREATE TABLE "audit_export" (
    "org_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "audit_export_pkey" PRIMARY KEY ("org_id")
);

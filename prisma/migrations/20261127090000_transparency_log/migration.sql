-- CreateTable
CREATE TABLE "log_tree" (
    "org_id" UUID NOT NULL,
    "origin" TEXT NOT NULL,
    "size" BIGINT NOT NULL DEFAULT 0,
    "audit_position" INTEGER NOT NULL DEFAULT 0,
    "checkpoint" TEXT NOT NULL DEFAULT '',
    "signed_with" TEXT NOT NULL DEFAULT '',
    "signed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "log_tree_pkey" PRIMARY KEY ("org_id")
);

-- CreateTable
CREATE TABLE "log_tile" (
    "org_id" UUID NOT NULL,
    "level" SMALLINT NOT NULL,
    "position" BIGINT NOT NULL,
    "hashes" BYTEA NOT NULL,

    CONSTRAINT "log_tile_pkey" PRIMARY KEY ("org_id","level","position")
);

-- CreateTable
CREATE TABLE "log_bundle" (
    "org_id" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "entries" BYTEA NOT NULL,
    "first_audit" INTEGER,

    CONSTRAINT "log_bundle_pkey" PRIMARY KEY ("org_id","position")
);

-- CreateIndex
CREATE INDEX "log_bundle_org_id_first_audit_idx" ON "log_bundle"("org_id", "first_audit");

-- CreateTable
CREATE TABLE "log_cosignature" (
    "org_id" UUID NOT NULL,
    "witness" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "checkpoint" TEXT NOT NULL,
    "line" TEXT NOT NULL,
    "cosigned_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "log_cosignature_pkey" PRIMARY KEY ("org_id","witness")
);

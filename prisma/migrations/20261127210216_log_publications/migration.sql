-- CreateTable
CREATE TABLE "log_publication" (
    "org_id" UUID NOT NULL,
    "target" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "checkpoint" TEXT NOT NULL,
    "published_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "log_publication_pkey" PRIMARY KEY ("org_id","target")
);

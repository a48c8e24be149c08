-- Sessions from before hold their tokens in plain text: everybody signs in anew.
DELETE FROM "session";

-- AlterTable
ALTER TABLE "user" ADD COLUMN     "kind" TEXT NOT NULL DEFAULT 'person',
ALTER COLUMN "email" DROP NOT NULL;

-- AlterTable
ALTER TABLE "session" ADD COLUMN     "active_org_id" UUID;

-- AlterTable
ALTER TABLE "member" ADD COLUMN     "disabled" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "invitation" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "mailed" BOOLEAN NOT NULL DEFAULT false,
    "invited_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "invitation_digest_key" ON "invitation"("digest");

-- CreateIndex
CREATE INDEX "invitation_email_idx" ON "invitation"("email");

-- CreateIndex
CREATE UNIQUE INDEX "invitation_org_id_email_key" ON "invitation"("org_id", "email");

-- AddForeignKey
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organisation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

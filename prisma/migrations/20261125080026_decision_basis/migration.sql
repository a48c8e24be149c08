-- DropIndex
DROP INDEX "generation_org_id_session_id_idx";

-- DropIndex
DROP INDEX "ledger_transfer_org_id_id_idx";

-- AlterTable
ALTER TABLE "generation" ADD COLUMN     "attempt_ms" INTEGER,
ADD COLUMN     "cost_parts" TEXT,
ADD COLUMN     "decision_hash" BYTEA,
ADD COLUMN     "ranked" JSON,
ALTER COLUMN "attempts" DROP NOT NULL,
ALTER COLUMN "decision" DROP NOT NULL,
ALTER COLUMN "cost_details" DROP NOT NULL;

-- CreateTable
CREATE TABLE "decision_basis" (
    "org_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "body" JSON NOT NULL,
    "seen_on" DATE NOT NULL,

    CONSTRAINT "decision_basis_pkey" PRIMARY KEY ("org_id","hash")
);

-- Most requests name no session.
CREATE INDEX "generation_session_idx" ON "generation"("org_id", "session_id") WHERE "session_id" IS NOT NULL;

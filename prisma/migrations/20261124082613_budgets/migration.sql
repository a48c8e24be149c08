-- AlterTable
ALTER TABLE "credit_balance" ADD COLUMN     "recalled_at" TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "credit_lease" ADD COLUMN     "returned_at" TIMESTAMPTZ(6);

-- CreateTable
CREATE TABLE "budget" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "measure" TEXT NOT NULL,
    "amount" DECIMAL(38,0) NOT NULL,
    "period" TEXT NOT NULL,
    "dimensions" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "budget_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "budget_counter" (
    "account_id" UUID NOT NULL,
    "budget_id" UUID NOT NULL,
    "values" TEXT[],
    "period_start" TIMESTAMPTZ(3),
    "ends_at" TIMESTAMPTZ(3),

    CONSTRAINT "budget_counter_pkey" PRIMARY KEY ("account_id")
);

-- CreateIndex
CREATE INDEX "budget_org_id_created_at_id_idx" ON "budget"("org_id", "created_at" DESC, "id");

-- CreateIndex
CREATE UNIQUE INDEX "budget_org_id_name_key" ON "budget"("org_id", "name");

-- CreateIndex
CREATE INDEX "budget_counter_budget_id_period_start_idx" ON "budget_counter"("budget_id", "period_start");

-- CreateIndex
CREATE INDEX "budget_counter_ends_at_idx" ON "budget_counter"("ends_at");

-- CreateIndex
CREATE INDEX "credit_lease_account_id_idx" ON "credit_lease"("account_id");

-- AddForeignKey
ALTER TABLE "budget" ADD CONSTRAINT "budget_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organisation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "budget_counter" ADD CONSTRAINT "budget_counter_budget_id_fkey" FOREIGN KEY ("budget_id") REFERENCES "budget"("id") ON DELETE CASCADE ON UPDATE CASCADE;

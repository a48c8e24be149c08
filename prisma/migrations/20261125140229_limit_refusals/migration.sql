-- CreateTable
CREATE TABLE "limit_refusal" (
    "org_id" UUID NOT NULL,
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "limit_of" TEXT NOT NULL,
    "limit_id" UUID NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "limit_refusal_pkey" PRIMARY KEY ("org_id","minute","limit_of","limit_id")
);

-- CreateIndex
CREATE INDEX "limit_refusal_minute_idx" ON "limit_refusal"("minute");

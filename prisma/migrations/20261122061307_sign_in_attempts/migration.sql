-- CreateTable
CREATE TABLE "sign_in_attempt" (
    "subject" TEXT NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 0,
    "counted_at" TIMESTAMPTZ(3) NOT NULL,
    "blocked_until" TIMESTAMPTZ(3),
    "known_until" TIMESTAMPTZ(3),

    CONSTRAINT "sign_in_attempt_pkey" PRIMARY KEY ("subject")
);

-- CreateIndex
CREATE INDEX "sign_in_attempt_counted_at_idx" ON "sign_in_attempt"("counted_at");

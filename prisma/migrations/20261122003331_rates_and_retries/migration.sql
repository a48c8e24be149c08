-- CreateTable
CREATE TABLE "rate_window" (
    "subject" TEXT NOT NULL,
    "minute" INTEGER NOT NULL,
    "budget" INTEGER NOT NULL,
    "taken" INTEGER NOT NULL,
    "needed" INTEGER NOT NULL,
    "granted" INTEGER NOT NULL,

    CONSTRAINT "rate_window_pkey" PRIMARY KEY ("subject","minute")
);

-- CreateTable
CREATE TABLE "idempotent_request" (
    "org_id" UUID NOT NULL,
    "route" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "caller_id" TEXT NOT NULL,
    "body_digest" TEXT NOT NULL,
    "answer" BYTEA,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotent_request_pkey" PRIMARY KEY ("org_id","route","key")
);

-- CreateIndex
CREATE INDEX "rate_window_minute_idx" ON "rate_window"("minute");

-- CreateIndex
CREATE INDEX "idempotent_request_expires_at_idx" ON "idempotent_request"("expires_at");

-- CreateTable
CREATE TABLE "first_start" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "user_id" UUID NOT NULL,
    "api_key_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "shown_at" TIMESTAMPTZ(3),

    CONSTRAINT "first_start_pkey" PRIMARY KEY ("id")
);

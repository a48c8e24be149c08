-- CreateTable
CREATE TABLE "decision_input" (
    "org_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "body" JSON NOT NULL,
    "seen_on" DATE NOT NULL,

    CONSTRAINT "decision_input_pkey" PRIMARY KEY ("org_id","hash")
);

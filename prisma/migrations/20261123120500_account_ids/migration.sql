-- The columns also hold the ids of API keys and workspaces.
ALTER TABLE "credit_balance" RENAME COLUMN "org_id" TO "account_id";

ALTER TABLE "credit_lease" RENAME COLUMN "org_id" TO "account_id";

ALTER TABLE "key_usage" RENAME COLUMN "api_key_id" TO "holder_id";

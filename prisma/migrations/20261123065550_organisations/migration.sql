-- AlterTable
ALTER TABLE "organisation" ADD COLUMN     "suspended_at" TIMESTAMPTZ(3),
ADD COLUMN     "suspended_reason" TEXT;

-- AlterTable
ALTER TABLE "invitation" ADD COLUMN     "by_operator" BOOLEAN NOT NULL DEFAULT false;

-- A key that may do everything goes on to, wherever it is: only in the organisation that runs the installation it means something.
UPDATE "api_key" SET "permissions" = "permissions" || '{organisations:write}'
WHERE "permissions" @> '{inference:use,activity:read,keys:read,keys:write,routing:read,routing:write,routing:delete,workspaces:read,workspaces:write,members:read,members:write,broadcast:read,broadcast:write,billing:write,byok:read,byok:write,audit:read}';

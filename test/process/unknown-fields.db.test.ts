import { expect, test } from "vitest";
import { openTestDatabase } from "#test/factories.ts";
import { inputOf, operations } from "./operation-plans.ts";
import { nobodysRows } from "./populated-organisation.ts";

const { database } = await openTestDatabase();
const own = nobodysRows();

const oddNames = `
  is_admin isAdmin admin owner org orgId userId scopes balance credits verified $set __v where data
  select include price cost secret constructor_name created_by updated_by deleted status_override sudo
  impersonate tenant tenant_id account organization_id plan trusted internal superuser grant granted
  quota raw sql hook callback debug force override bypass root system token_digest password_hash`;

test("unknown fields are refused or dropped by every mutation", async () => {
  const columns = await database.prisma.$queryRaw<{ name: string }[]>`
    select distinct column_name as name from information_schema.columns where table_schema = 'public'`;
  const names = [...new Set([...columns.map(({ name }) => name), ...oddNames.trim().split(/\s+/)])];
  expect(names.length).toBeGreaterThan(100);
  const effective: string[] = [];
  for (const operation of operations) {
    // Inference passes what it does not know on to nobody: its own tests hold it to that.
    if (operation.type !== "mutation" || !operation.input || operation.meta.permission === "inference:use")
      continue;
    const base = inputOf(operation, own);
    expect(operation.input.safeParse(base).error?.issues ?? [], operation.name).toEqual([]);
    const known = Object.keys(("shape" in operation.input ? operation.input.shape : {}) as object);
    for (const name of names.filter((each) => !known.includes(each))) {
      const parsed = operation.input.safeParse({ ...base, [name]: "injected" });
      if (parsed.success && Object.hasOwn(parsed.data as object, name))
        effective.push(`${operation.name} ${name}`);
    }
  }
  expect(effective).toEqual([]);
});

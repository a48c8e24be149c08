import { expect, test } from "vitest";
import { EmailAddress } from "#contract/member.ts";
import type { Database } from "#server/db/client.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { openTestDatabase } from "#test/factories.ts";
import { finishFirstStart, isFirstStartOver, prepareFirstAdministrator } from "./index.ts";
import { verifyPassword } from "./password.ts";

const { database, another } = await openTestDatabase();
const chosen = { ADMIN_EMAIL: "Ada@Example.eu", ADMIN_PASSWORD: "correct horse" };

/** Which keys were stored, and which ones they replaced. */
const keys: { readonly id: string; readonly replacedId: string | null }[] = [];
let credited = 0;
const firstRows = {
  async addStartingCredit() {
    credited++;
  },
  async storeFirstKey(_: unknown, __: unknown, replacedId: string | null) {
    const id = uuidv7();
    keys.push({ id, replacedId });
    return id;
  },
};

const passwordOf = async (of: Database) =>
  (await of.prisma.account.findFirstOrThrow({ where: { provider_id: "credential" } })).password ?? "";

test("nothing is stored if a part of it cannot be made", async () => {
  const broken = prepareFirstAdministrator(database, chosen, {
    ...firstRows,
    storeFirstKey: () => Promise.reject(new Error("no key")),
  });
  await expect(broken).rejects.toThrow("no key");
  expect(await database.prisma.user.count()).toBe(0);
  expect(await database.prisma.organisation.count()).toBe(0);
  expect(await isFirstStartOver(database)).toBe(false);
});

test("processes that start together make one administrator, with an organisation and an audit row", async () => {
  credited = 0;
  await Promise.all(
    [database, another(), another()].map((each) => prepareFirstAdministrator(each, chosen, firstRows)),
  );
  expect(credited).toBe(1);
  const user = await database.prisma.user.findFirstOrThrow({ include: { accounts: true, members: true } });
  expect(user.email).toBe("ada@example.eu");
  expect(user.members).toMatchObject([{ role: "owner" }]);
  expect(await verifyPassword({ hash: await passwordOf(database), password: "correct horse" })).toBe(true);
  expect(await database.prisma.audit_entry.findFirst({ orderBy: { position: "asc" } })).toMatchObject({
    action: "organisation.create",
    actor_type: "system",
    org_id: user.members[0]?.org_id,
  });
  // Each later process replaced what the earlier one had made and not shown.
  expect(keys.slice(-3).map(({ replacedId }) => replacedId)).toEqual([
    null,
    ...keys.slice(-3, -1).map(({ id }) => id),
  ]);
});

test("a password and key that were not shown are made again, with the address of the current settings", async () => {
  credited = 0;
  const again = await prepareFirstAdministrator(database, { ADMIN_EMAIL: "bob@example.eu" }, firstRows);
  expect(again).toMatchObject({ email: "bob@example.eu" });
  expect(again?.generatedPassword).toMatch(/^[0-9A-Za-z]{20}$/);
  const stored = await passwordOf(database);
  expect(await verifyPassword({ hash: stored, password: again?.generatedPassword ?? "" })).toBe(true);
  expect(await database.prisma.user.findMany()).toMatchObject([{ email: "bob@example.eu" }]);
  expect(credited).toBe(0);
});

test("what was shown is not changed", async () => {
  const before = await passwordOf(database);
  await finishFirstStart(database);
  expect(await isFirstStartOver(database)).toBe(true);
  expect(await prepareFirstAdministrator(database, chosen, firstRows)).toBeNull();
  expect(await passwordOf(database)).toBe(before);
});

test("the default address of the administrator is a valid e-mail address", async () => {
  const fresh = await openTestDatabase();
  const made = await prepareFirstAdministrator(fresh.database, {}, firstRows);
  expect(EmailAddress.safeParse(made?.email).success).toBe(true);
  expect(made?.generatedPassword).toMatch(/^[0-9A-Za-z]{20}$/);
});

test("a database of a version without the first-start record is not changed", async () => {
  const earlier = await openTestDatabase();
  await earlier.database.prisma.user.create({ data: { name: "Ada", email: "ada@example.eu" } });
  expect(await prepareFirstAdministrator(earlier.database, chosen, firstRows)).toBeNull();
  expect(await earlier.database.prisma.user.count()).toBe(1);
});

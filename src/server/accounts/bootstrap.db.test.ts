import { expect, test } from "vitest";
import { EmailAddress } from "#contract/member.ts";
import type { Database } from "#server/db/client.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { openTestDatabase } from "#test/factories.ts";
import { finishFirstStart, isFirstStartOver, prepareFirstAdministrator } from "./index.ts";
import { verifyPassword } from "./password.ts";

const { database, another } = await openTestDatabase();
const chosen = { ADMIN_EMAIL: "Ada@Example.eu", ADMIN_PASSWORD: "correct horse" };

/** Which keys were stored, and in place of which. */
const keys: { readonly id: string; readonly replacedId: string | null }[] = [];
let furnished = 0;
const furnishing = {
  async furnish() {
    furnished++;
  },
  async storeFirstKey(_: unknown, __: unknown, replacedId: string | null) {
    const id = uuidv7();
    keys.push({ id, replacedId });
    return id;
  },
};

const passwordOf = async (of: Database) =>
  (await of.prisma.account.findFirstOrThrow({ where: { provider_id: "credential" } })).password ?? "";

test("nothing is kept when what belongs to it cannot be made", async () => {
  const broken = prepareFirstAdministrator(database, chosen, {
    ...furnishing,
    storeFirstKey: () => Promise.reject(new Error("no key")),
  });
  await expect(broken).rejects.toThrow("no key");
  expect(await database.prisma.user.count()).toBe(0);
  expect(await database.prisma.organisation.count()).toBe(0);
  expect(await isFirstStartOver(database)).toBe(false);
});

test("processes that start at once make one administrator, with an organisation and an audit row", async () => {
  furnished = 0;
  await Promise.all(
    [database, another(), another()].map((each) => prepareFirstAdministrator(each, chosen, furnishing)),
  );
  expect(furnished).toBe(1);
  const user = await database.prisma.user.findFirstOrThrow({ include: { accounts: true, members: true } });
  expect(user.email).toBe("ada@example.eu");
  expect(user.members).toMatchObject([{ role: "owner" }]);
  expect(await verifyPassword({ hash: await passwordOf(database), password: "correct horse" })).toBe(true);
  expect(await database.prisma.audit_entry.findFirst({ orderBy: { position: "asc" } })).toMatchObject({
    action: "organisation.create",
    actor_type: "system",
    org_id: user.members[0]?.org_id,
  });
  // Each that came later replaced what the one before had made and not shown.
  expect(keys.slice(-3).map(({ replacedId }) => replacedId)).toEqual([
    null,
    ...keys.slice(-3, -1).map(({ id }) => id),
  ]);
});

test("password and key that nobody was shown are made anew, with the address of today's settings", async () => {
  furnished = 0;
  const again = await prepareFirstAdministrator(database, { ADMIN_EMAIL: "bob@example.eu" }, furnishing);
  expect(again).toMatchObject({ email: "bob@example.eu" });
  expect(again?.generatedPassword).toMatch(/^[0-9A-Za-z]{20}$/);
  const stored = await passwordOf(database);
  expect(await verifyPassword({ hash: stored, password: again?.generatedPassword ?? "" })).toBe(true);
  expect(await database.prisma.user.findMany()).toMatchObject([{ email: "bob@example.eu" }]);
  expect(furnished).toBe(0);
});

test("what was shown is left alone", async () => {
  const before = await passwordOf(database);
  await finishFirstStart(database);
  expect(await isFirstStartOver(database)).toBe(true);
  expect(await prepareFirstAdministrator(database, chosen, furnishing)).toBeNull();
  expect(await passwordOf(database)).toBe(before);
});

test("without a chosen one the administrator's address is one to whoever checks addresses", async () => {
  const fresh = await openTestDatabase();
  const made = await prepareFirstAdministrator(fresh.database, {}, furnishing);
  expect(EmailAddress.safeParse(made?.email).success).toBe(true);
  expect(made?.generatedPassword).toMatch(/^[0-9A-Za-z]{20}$/);
});

test("a database of an earlier version, which knows of no first start, is left alone", async () => {
  const earlier = await openTestDatabase();
  await earlier.database.prisma.user.create({ data: { name: "Ada", email: "ada@example.eu" } });
  expect(await prepareFirstAdministrator(earlier.database, chosen, furnishing)).toBeNull();
  expect(await earlier.database.prisma.user.count()).toBe(1);
});

import { expect, test } from "vitest";
import { EmailAddress } from "#contract/member.ts";
import { verifyPassword } from "#server/auth/password.ts";
import { openTestDatabase } from "#test/factories.ts";
import { createFirstAdministrator } from "./index.ts";

const { database, another } = await openTestDatabase();
const chosen = { ADMIN_EMAIL: "Ada@Example.eu", ADMIN_PASSWORD: "correct horse" };

test("nothing is kept when what belongs to it cannot be made", async () => {
  const broken = createFirstAdministrator(database, chosen, () => Promise.reject(new Error("no key")));
  await expect(broken).rejects.toThrow("no key");
  expect(await database.prisma.user.count()).toBe(0);
  expect(await database.prisma.organisation.count()).toBe(0);
});

test("processes that start at once make one administrator, with an organisation and an audit row", async () => {
  const made = await Promise.all(
    [database, another(), another()].map((each) => createFirstAdministrator(each, chosen, async () => "key")),
  );
  expect(made.filter((result) => result !== null)).toHaveLength(1);
  const user = await database.prisma.user.findFirstOrThrow({ include: { accounts: true, members: true } });
  expect(user.email).toBe("ada@example.eu");
  expect(user.members).toMatchObject([{ role: "owner" }]);
  const password = user.accounts[0]?.password ?? "";
  expect(await verifyPassword({ hash: password, password: "correct horse" })).toBe(true);
  expect(await database.prisma.audit_entry.findMany()).toMatchObject([
    { action: "organisation.create", actor_type: "system", org_id: user.members[0]?.org_id },
  ]);
});

test("without a chosen one the administrator's address is one to whoever checks addresses", async () => {
  const fresh = await openTestDatabase();
  const made = await createFirstAdministrator(fresh.database, {}, async () => "key");
  expect(EmailAddress.safeParse(made?.email).success).toBe(true);
  expect(made?.generatedPassword).toMatch(/^[0-9A-Za-z]{20}$/);
});

test("a database that has a person is left alone", async () => {
  expect(await createFirstAdministrator(database, {}, async () => "key")).toBeNull();
  expect(await database.prisma.user.count()).toBe(1);
});

import { expect, test } from "vitest";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { recordKeyUse } from "./record-use.ts";

const { database } = await openTestDatabase();

test("a key's last use is written, and only moves forward", async () => {
  const organisation = await createOrganisation(database);
  const used = async () =>
    (await database.prisma.api_key.findUniqueOrThrow({ where: { id: organisation.keyId } })).last_used_at;
  const recordAt = (started_at: string) =>
    database.batch((client) => recordKeyUse(client, [{ api_key_id: organisation.keyId, started_at }]));
  await recordAt("2026-11-20T10:00:00.000Z");
  expect(await used()).toEqual(new Date("2026-11-20T10:00:00.000Z"));
  await recordAt("2026-11-20T09:00:00.000Z");
  await recordAt("2026-11-20T10:00:30.000Z");
  expect(await used()).toEqual(new Date("2026-11-20T10:00:00.000Z"));
  await recordAt("2026-11-20T10:02:00.000Z");
  expect(await used()).toEqual(new Date("2026-11-20T10:02:00.000Z"));
});

import { describe, expect, test } from "vitest";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { until } from "#test/until.ts";
import { Credit } from "./credit.ts";
import { readBalance } from "./credit-leases.ts";

const { database } = await openTestDatabase();
const eur = picoFromDecimal;

const openCredit = () => new Credit(database, uuidv7(), silentLog);

describe("a changed limit", () => {
  const of = (limit: string) => ({ owner: "key", limit: eur(limit) }) as const;
  const setLimit = (id: string, limit: string) =>
    database.prisma.api_key.update({ where: { id }, data: { limit_pico_eur: eur(limit).toString() } });

  test("applies immediately: credit leased under the old one is not spent", async () => {
    const { keyId } = await createOrganisation(database);
    const credit = openCredit();
    await setLimit(keyId, "2");
    const first = await credit.hold(keyId, eur("0.01"), of("2"));
    first.release(0n);
    // More than the request needed was leased.
    expect((await readBalance(database, keyId)).free).toBe(eur("1.9"));
    await setLimit(keyId, "0");
    await expect(credit.hold(keyId, 1n, of("0"))).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
    await setLimit(keyId, "0.5");
    await expect(credit.hold(keyId, eur("0.6"), of("0.5"))).rejects.toMatchObject({
      code: "INSUFFICIENT_QUOTA",
    });
    (await credit.hold(keyId, eur("0.5"), of("0.5"))).release(0n);
    await credit.close();
    expect((await readBalance(database, keyId)).free).toBe(eur("0.5"));
  });

  test("gets back what a running request did not spend, and leases it again within the new limit", async () => {
    const { keyId } = await createOrganisation(database);
    const credit = openCredit();
    await setLimit(keyId, "1");
    const underWay = await credit.hold(keyId, eur("0.8"), of("1"));
    await setLimit(keyId, "0.9");
    await expect(credit.hold(keyId, eur("0.2"), of("0.9"))).rejects.toMatchObject({
      code: "INSUFFICIENT_QUOTA",
    });
    (await credit.hold(keyId, eur("0.1"), of("0.9"))).release(0n);
    underWay.release(eur("0.3"));
    await until(async () => expect(await credit.hold(keyId, eur("0.6"), of("0.9"))).toBeDefined());
    await expect(credit.hold(keyId, 1n, of("0.9"))).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
    await credit.close();
  });
});

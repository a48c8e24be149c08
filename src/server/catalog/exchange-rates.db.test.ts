import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeEach, expect, test } from "vitest";
import { providerKinds } from "#server/inference/index.ts";
import { createLog } from "#server/platform/log.ts";
import { exchangeRate } from "#server/platform/money.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { openTestDatabase } from "#test/factories.ts";
import { refreshExchangeRate } from "./exchange-rates.ts";
import { loadCatalogue } from "./load.ts";
import { catalogueAt, loadPriceOverrides } from "./price-overrides.ts";

const { database } = await openTestDatabase();
let answer = { status: 200, body: "", headers: {} };
const bank = createServer((_, response) =>
  response.writeHead(answer.status, answer.headers).end(answer.body),
);
bank.listen(0, "127.0.0.1");
await once(bank, "listening");
const url = `http://127.0.0.1:${(bank.address() as AddressInfo).port}/eurofxref-daily.xml`;
const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
afterAll(async () => {
  await outbound.close();
  bank.close();
});
beforeEach(() => database.prisma.exchange_rate.deleteMany());

const unexpected = (...told: string[]) => expect(told).toEqual([]);
const known = exchangeRate("1.1596", "2026-08-31", "shipped");

const feed = (rate: string, time = "2026-11-20") => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
  <Cube><Cube time='${time}'><Cube currency='USD' rate='${rate}'/><Cube currency='JPY' rate='180.12'/></Cube></Cube>
</gesmes:Envelope>`;

/** Fetches the feed. Returns what was logged and what is stored. */
async function refresh(body: string, { status = 200, headers = {} } = {}) {
  answer = { status, body, headers };
  const said: string[] = [];
  const log = createLog("info", (line) => said.push(line));
  await refreshExchangeRate({ database, outbound, log, current: known }, url);
  return { said: said.join(""), kept: await database.prisma.exchange_rate.findMany() };
}

const load = (exchangeRateOverride?: string) => loadCatalogue({ kinds: providerKinds, exchangeRateOverride });

test("the day's rate is stored once, with its day, and used by the catalogue from then on", async () => {
  const { kept } = await refresh(feed("1.1702"));
  expect(kept).toHaveLength(1);
  expect((await refresh(feed("1.1702"))).kept).toHaveLength(1);
  const priceOverrides = await loadPriceOverrides(database.prisma, unexpected);
  expect(catalogueAt(load(), priceOverrides, false, 0).catalogue.exchangeRate).toMatchObject({
    usdPerEur: "1.1702",
    date: "2026-11-20",
  });
});

test("a rate fixed by the operator is not replaced", async () => {
  await refresh(feed("1.1702"));
  const priceOverrides = await loadPriceOverrides(database.prisma, unexpected);
  const fixed = load("1.5");
  expect(catalogueAt(fixed, priceOverrides, true, 0).catalogue.exchangeRate.usdPerEur).toBe("1.5");
});

test("the rate of a day is never changed afterwards", async () => {
  await refresh(feed("1.1702"));
  const { kept } = await refresh(feed("1.1703"));
  expect(kept.map(({ usd_per_eur }) => usd_per_eur.toFixed())).toEqual(["1.1702"]);
});

const bomb = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "${"x".repeat(1000)}"><!ENTITY b "&a;&a;&a;&a;">]>${feed("&b;")}`;

test.each([
  ["no XML", "rate: 1.17", "not XML"],
  ["cut XML", feed("1.17").slice(0, -40), "not XML"],
  ["an entity bomb", bomb, "document type"],
  ["another root", "<html><body>Down for maintenance</body></html>", "no rate of the US dollar"],
  ["no dollar", feed("1.17").replace("USD", "XXX"), "no rate of the US dollar"],
  ["a rate of 0", feed("0"), "not a positive decimal"],
  ["not a positive decimal", feed("-1.17"), "not a positive decimal"],
  ["a rate that is not a number", feed("N/A"), "not a positive decimal"],
  ["an exponent", feed("1e1"), "not a positive decimal"],
  ["no date", feed("1.17", "yesterday"), "no rate of the US dollar"],
  ["a change of more than a fifth", feed("1.4"), "far from 1.1596"],
  ["a fall of more than a fifth", feed("0.9"), "far from 1.1596"],
])("%s is refused and logged, and the last good rate remains", async (_, body, reason) => {
  const { said, kept } = await refresh(body);
  expect(said).toContain("feed was refused");
  expect(said).toContain(reason);
  expect(kept).toEqual([]);
});

test("a redirect is not followed, and an error is not a rate", async () => {
  const moved = await refresh(feed("1.17"), { status: 302, headers: { location: url } });
  expect(moved.said).toContain("answers 302");
  expect((await refresh(feed("1.17"), { status: 503 })).kept).toEqual([]);
});

test("a feed that is larger than the bank's is not read to its end", async () => {
  answer = { status: 200, body: feed("1.17").padEnd(200_000, " "), headers: {} };
  const log = createLog("silent", () => {});
  await expect(refreshExchangeRate({ database, outbound, log, current: known }, url)).rejects.toMatchObject({
    failure: "too_large",
  });
});

test("a private address that is not allowed is not requested", async () => {
  const guarded = new Outbound(allowedHosts([]));
  const log = createLog("silent", () => {});
  await expect(
    refreshExchangeRate({ database, outbound: guarded, log, current: known }, url),
  ).rejects.toMatchObject({ failure: "blocked" });
  await guarded.close();
});

test("a rate older than four days is logged as a warning", async () => {
  expect((await refresh(feed("1.16", "2026-08-31"))).said).toContain("exchange rate is old");
});

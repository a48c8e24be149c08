import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { PriceHistory } from "#contract/price-book.ts";
import { clock } from "#server/platform/clock.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { createOrganisation } from "#test/factories.ts";
import { until } from "#test/until.ts";
import { repository } from "../architecture/source-files.ts";
import { faultyModels } from "./overlay.ts";
import { startTestServer } from "./server.ts";

const names = ["now", "later", "flight", "back", "bad", "shell", "foreign", "told"];
const server = await startTestServer({
  overlay: faultyModels({
    ...Object.fromEntries(names.map((name) => [name, { fr: "ok" as const }])),
    slow: { fr: "slow:40" },
  }),
});
const endpointOf = (name: string) => `sandbox-fr:test/${name}`;
const asked = { prompt: "x", max_tokens: 10, seed: 5 };

const send = (prices: unknown[]) => server.post("/prices", { schema: "portolan-prices/1", prices });
const eur = (input: string, output = input) => ({ currency: "EUR", input, output });
const costOf = async (name: string): Promise<number> => {
  const response = await server.post("/completions", { model: `test/${name}`, ...asked });
  const { usage } = (await response.json()) as { usage: { cost_eur: number; total_tokens: number } };
  return usage.cost_eur / usage.total_tokens;
};
const history = async (name: string) => {
  const response = await server.send("GET", `/prices?endpoint=${encodeURIComponent(endpointOf(name))}`);
  return ((await response.json()) as { data: Record<string, unknown>[] }).data;
};

test("a price applies from now on without a restart, and its history shows it", async () => {
  expect(await costOf("now")).toBeCloseTo(1e-6, 12);
  expect((await send([{ endpoint: endpointOf("now"), price: eur("5") }])).status).toBe(200);
  expect(await costOf("now")).toBeCloseTo(5e-6, 12);
  expect(await history("now")).toMatchObject([
    { input: "5.000000000000", valid_until: null, current: true, origin: "price_book" },
    { input: "1.000000000000", valid_from: null, current: false, origin: "catalogue" },
  ]);
});

test("a future price applies from its start, and ends when it is withdrawn", async () => {
  const startsMs = clock.nowMs() + 3_600_000;
  const valid_from = new Date(startsMs).toISOString();
  const until = new Date(startsMs + 3_600_000).toISOString();
  const prices = [
    { endpoint: endpointOf("later"), valid_from, price: eur("7") },
    { endpoint: endpointOf("later"), valid_from: until, price: null },
  ];
  expect((await send(prices)).status).toBe(200);
  expect(await costOf("later")).toBeCloseTo(1e-6, 12);
  const now = vi.spyOn(clock, "nowMs").mockReturnValue(startsMs);
  onTestFinished(() => now.mockRestore());
  expect(await costOf("later")).toBeCloseTo(7e-6, 12);
  now.mockReturnValue(startsMs + 3_600_000);
  expect(await costOf("later")).toBeCloseTo(1e-6, 12);
});

test("the history shows what each price changed and its source, in pages", async () => {
  const at = (hours: number) => new Date(clock.nowMs() + hours * 3_600_000).toISOString();
  const tiers = [{ above_input_tokens: 1000, input_factor: "2", output_factor: "2" }];
  const prices = [
    { valid_from: at(1), price: { ...eur("1", "2"), source: "Their letter of May", as_of: "2026-05-02" } },
    { valid_from: at(2), price: { ...eur("1", "2"), currency: "USD", tiers } },
    { valid_from: at(3), price: null },
  ].map((price) => ({ endpoint: endpointOf("told"), ...price }));
  expect((await send(prices)).status).toBe(200);
  const [last, dollars, letter, first] = await history("told");
  expect(first).toMatchObject({ changes: [], origin: "catalogue", valid_from: null, current: true });
  expect(letter).toMatchObject({
    changes: [{ figure: "output", before: "1.000000000000", after: "2.000000000000" }],
    sources: [{ title: "Their letter of May", url: null }],
    as_of: "2026-05-02",
    eur: { input: "1.000000000000", output: "2.000000000000", cache_write: null },
  });
  expect(dollars).toMatchObject({
    changes: [
      { figure: "currency", before: "EUR", after: "USD" },
      { figure: "tiers", before: null, after: expect.stringMatching(/^2\.0+ and 4\.0+ above 1000$/) },
    ],
    sources: [{ title: "The operator of this installation", url: null }],
  });
  expect(last).toMatchObject({ origin: "catalogue", currency: "EUR", tiers: [], valid_until: null });
  const page = await server.send(
    "GET",
    `/prices?endpoint=${encodeURIComponent(endpointOf("told"))}&limit=1&offset=1`,
  );
  expect(await page.json()).toMatchObject({ data: [dollars], total_count: 4 });
});

test("a price in dollars is shown in euros at the given rate", async () => {
  const response = await server.send("GET", "/prices?endpoint=anthropic:anthropic/claude-haiku-5.5");
  const { data, exchange_rate } = PriceHistory.parse(await response.json());
  expect(data[0]).toMatchObject({ currency: "USD", input: "0.100000000000", current: true });
  const inEuro = Number(data[0]?.eur?.input) * Number(exchange_rate.usd_per_eur);
  expect(inEuro).toBeCloseTo(0.1, 10);
  expect(data[0]?.sources[0]?.title).toMatch(/synaps/);
});

test("a running request is billed at the price it started with", async () => {
  const response = await server.post("/completions", { model: "test/slow", ...asked, stream: true });
  expect((await send([{ endpoint: endpointOf("slow"), price: eur("900") }])).status).toBe(200);
  await response.text();
  const row = await server.record(response.headers.get("x-generation-id"));
  expect(row.cost_pico_eur).toBe(BigInt(row.prompt_tokens + row.completion_tokens) * 1_000_000n);
});

test.each([
  ["a negative price", { price: eur("-1") }],
  ["a price as a number", { price: { currency: "EUR", input: 1, output: 1 } }],
  ["nothing but zeros by accident", { price: eur("0") }],
  ["a missing half", { price: { currency: "EUR", input: "1" } }],
  ["an unknown currency", { price: { ...eur("1"), currency: "GBP" } }],
  ["finer than can be stored", { price: eur("0.0000001") }],
  ["an unknown endpoint", { endpoint: "sandbox-fr:test/nobody", price: eur("1") }],
  ["the past", { valid_from: "2026-01-01T00:00:00Z", price: eur("1") }],
  ["a field nobody knows", { price: { ...eur("1"), inptu: "1" } }],
])("%s changes nothing, not even the valid price beside it", async (_, bad) => {
  const before = await history("bad");
  const good = { endpoint: endpointOf("bad"), price: eur("3") };
  const response = await send([good, { endpoint: endpointOf("bad"), ...bad }]);
  expect(response.status).toBe(400);
  expect(await history("bad")).toEqual(before);
});

test("a free price must be marked so", async () => {
  expect((await send([{ endpoint: endpointOf("back"), price: eur("0"), free: true }])).status).toBe(200);
  expect(await costOf("back")).toBe(0);
});

test("an owner of another organisation cannot change the installation's prices", async () => {
  const { key } = await createOrganisation(server.services.database);
  await server.services.refreshSnapshot();
  await until(async () => expect((await server.send("GET", "/me", { key })).status).toBe(200));
  const body = {
    schema: "portolan-prices/1",
    prices: [{ endpoint: endpointOf("foreign"), price: eur("9") }],
  };
  expect((await server.post("/prices", body, { key })).status).toBe(403);
  expect(await history("foreign")).toHaveLength(1);
});

test("the command line imports a file, and refuses a bad one with its mistakes", async () => {
  const file = join(temporaryDirectory(), "prices.json");
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [join(repository, "scripts/cli.ts"), ...args], {
      env: { ...process.env, PORTOLAN_URL: server.origin, PORTOLAN_API_KEY: server.key },
    });
  writeFileSync(
    file,
    JSON.stringify({
      schema: "portolan-prices/1",
      prices: [{ endpoint: endpointOf("shell"), price: eur("4") }],
    }),
  );
  expect((await run("prices", "import", file)).stdout).toBe("1 prices imported.\n");
  expect((await run("prices", "show", endpointOf("shell"))).stdout).toContain("price_book (now)");
  writeFileSync(file, "{}");
  await expect(run("prices", "import", file)).rejects.toMatchObject({
    stderr: expect.stringContaining("schema"),
  });
});

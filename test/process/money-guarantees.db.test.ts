import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CreatedKey } from "#contract/key.ts";
import { auditMoney } from "#server/billing/index.ts";
import { raiseConfigVersion } from "#server/db/index.ts";
import { createOrganisation } from "#test/factories.ts";
import { until } from "#test/until.ts";
import { askFor, type OperationCase, operationTable } from "./operation-table.ts";
import { startTestServer } from "./server.ts";

/** A model of its own for each operation, served by the sandbox at 1 EUR, and 1 USD, a million tokens. */
const modelOf = ({ name }: OperationCase, currency = "eur") =>
  `test/${name.replaceAll(/[^a-z]+/g, "-")}-${currency}`;
const price = (figure: string, currency = "EUR") => ({
  currency,
  input: figure,
  output: figure,
  per_1k_searches: figure,
});
const currencies = ["EUR", "USD"] as const;
const server = await startTestServer({
  overlay: {
    models: operationTable.flatMap((each) =>
      currencies.map((currency) => ({
        id: modelOf(each, currency.toLowerCase()),
        type: each.type,
        context_length: 131_072,
      })),
    ),
    endpoints: operationTable.flatMap((each) =>
      currencies.flatMap((currency) =>
        ["fr", "us"].map((site) => ({
          provider: `sandbox-${site}`,
          model: modelOf(each, currency.toLowerCase()),
          upstream_model: each.upstreamModel,
          price: price(site === "fr" ? "1" : "100", currency),
        })),
      ),
    ),
  },
});
const { post, record, services } = server;
const { database } = services;
const cheapest = { provider: { sort: "price" } };

type Cost = { readonly perUnit: number; readonly fx: string };

/** What one unit (a token, or a thousandth of a search) of a request costs, in millionths of the price's currency. */
async function costOf(each: OperationCase, currency: "eur" | "usd", key?: string): Promise<Cost> {
  const outcome = await askFor(server, each, { model: modelOf(each, currency), ...cheapest }, key);
  expect(outcome).toMatchObject({ status: 200, code: null });
  const row = await record(outcome.generationId);
  const units = row.prompt_tokens + row.completion_tokens + row.search_units * 1000;
  expect(units).toBeGreaterThan(0);
  const total = currency === "eur" ? Number(row.cost_pico_eur) : Number(row.upstream_pico_usd);
  return { perUnit: total / units / 1e6, fx: row.fx_usd_per_eur };
}

const makeKey = async (body: object, key?: string): Promise<CreatedKey> => {
  const response = await post("/keys", { name: "Limited", ...body }, key === undefined ? {} : { key });
  expect(response.status).toBe(201);
  return (await response.json()) as CreatedKey;
};

afterAll(async () => {
  await services.billing.drain();
  expect((await auditMoney(database)).filter(({ broken }) => broken > 0)).toEqual([]);
});

describe.each(operationTable)("$name", (each) => {
  const model = modelOf(each);

  test("charges the current price, from the first request after a change on", async () => {
    expect((await costOf(each, "eur")).perUnit).toBeCloseTo(1, 9);
    const prices = [{ endpoint: `sandbox-fr:${model}`, price: price("5") }];
    expect((await post("/prices", { schema: "portolan-prices/1", prices })).status).toBe(200);
    expect((await costOf(each, "eur")).perUnit).toBeCloseTo(5, 9);
  });

  test("is served by the currently cheapest provider", async () => {
    const endpoint = `sandbox-us:${modelOf(each, "usd")}`;
    const prices = [{ endpoint, price: price("0.5", "USD") }];
    expect((await costOf(each, "usd")).perUnit).toBeCloseTo(1, 9);
    expect((await post("/prices", { schema: "portolan-prices/1", prices })).status).toBe(200);
    expect((await costOf(each, "usd")).perUnit).toBeCloseTo(0.5, 9);
  });

  test("is refused once the limit of its key is used up, with the same figures as the key shows", async () => {
    const { key } = await makeKey({ limit: 0.000_001 });
    const outcome = await askFor(server, each, { model }, key);
    expect(outcome.code).toBe(each.background ? "server_error" : "INSUFFICIENT_QUOTA");
    expect(outcome.text).toContain("This request may cost up to EUR");
    if (each.background) return;
    expect(outcome.status).toBe(402);
    const { error } = JSON.parse(outcome.text) as { error: { metadata: Record<string, string> } };
    const info = await server.send("GET", "/key", { key });
    const { data } = (await info.json()) as { data: { limit_remaining: number } };
    expect(error.metadata).toMatchObject({ limit_of: "key" });
    expect(Number(error.metadata.available_eur)).toBe(data.limit_remaining);
  });

  test("spends exactly its cost from the limit of its key, visible immediately", async () => {
    const made = await makeKey({ limit: 1 });
    const outcome = await askFor(server, each, { model, ...cheapest }, made.key);
    expect(outcome).toMatchObject({ status: 200, code: null });
    // Not waited for: what was spent shows in the next thing that is read.
    const info = await server.send("GET", "/key", { key: made.key });
    const { data } = (await info.json()) as { data: { usage: number; limit_remaining: number } };
    const row = await record(outcome.generationId);
    expect(data.usage).toBe(Number(row.cost_pico_eur) / 1e12);
    expect(data.limit_remaining).toBeCloseTo(1 - data.usage, 12);
  });

  test("is refused without credit of its organisation, and costs nothing then", async () => {
    const { key, orgId } = await createOrganisation(database, { creditEur: "0.000001" });
    await until(() =>
      expect(services.authenticate({ authorization: `Bearer ${key}` })).toMatchObject({ orgId }),
    );
    const outcome = await askFor(server, each, { model }, key);
    expect(outcome.code).toBe(each.background ? "server_error" : "INSUFFICIENT_QUOTA");
    expect(outcome.text).toContain("This request may cost up to EUR");
    await services.billing.drain();
    expect(await database.prisma.generation.count({ where: { org_id: orgId } })).toBe(0);
  });

  test("is refused a model that its key may not use", async () => {
    const { key } = await makeKey({ allowed_models: ["sandbox/chat"] });
    expect(await askFor(server, each, { model }, key)).toMatchObject({ status: 403, code: "FORBIDDEN" });
  });

  test("counts against the requests a minute of its key", async () => {
    const { key } = await makeKey({ requests_per_minute: 2 });
    const more = { model, ...cheapest };
    const codes = [];
    // A minute may turn in between: of five requests in two minutes one is too many in any case.
    for (let at = 0; at < 5; at++) codes.push((await askFor(server, each, more, key)).code);
    if (!each.background) expect(codes[0]).toBeNull();
    expect(codes).toContain("RATE_LIMIT_EXCEEDED");
  });

  test("obeys a rule from the first request after its change on", async () => {
    const { key, data } = await makeKey({});
    const more = { model };
    const rule = await post("/routing-rules", {
      name: `For ${each.name}`,
      scope: "api_key",
      api_key_id: data.id,
      provider: { only: ["sandbox-us"] },
    });
    expect(rule.status).toBe(201);
    const { id } = ((await rule.json()) as { data: { id: string } }).data;
    const serve = async () => {
      const outcome = await askFor(server, each, more, key);
      return outcome.status === 200 ? (await record(outcome.generationId)).provider : outcome.code;
    };
    expect(await serve()).toBe("sandbox-us");
    const body = JSON.stringify({ provider: { only: ["sandbox-fr"] } });
    expect((await server.send("PATCH", `/routing-rules/${id}`, { body })).status).toBe(200);
    expect(await serve()).toBe("sandbox-fr");
    const none = JSON.stringify({ provider: { only: ["sandbox-de"] } });
    expect((await server.send("PATCH", `/routing-rules/${id}`, { body: none })).status).toBe(200);
    expect(await serve()).toBe("SERVICE_UNAVAILABLE");
  });
});

describe("a new exchange rate", () => {
  beforeAll(async () => {
    await database.transaction(async (tx) => {
      await tx.exchange_rate.create({
        data: { day: new Date("2099-01-02"), usd_per_eur: "2.5", source: "For a test" },
      });
      await raiseConfigVersion(tx);
    });
    await services.refreshSnapshot();
  });

  test.each(operationTable)("is used for $name immediately", async (each) => {
    const outcome = await askFor(server, each, { model: modelOf(each, "usd"), ...cheapest });
    const row = await record(outcome.generationId);
    expect(String(row.fx_usd_per_eur)).toBe("2.5");
    expect(Number(row.cost_pico_eur) * 2.5).toBeCloseTo(Number(row.upstream_pico_usd), -1);
  });
});

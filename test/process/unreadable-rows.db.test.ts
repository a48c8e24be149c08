import { describe, expect, test } from "vitest";
import type { Configuration } from "#server/composition/accounts.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { createLog } from "#server/platform/log.ts";
import { least } from "./destination-client.ts";
import { faultyModels } from "./overlay.ts";
import { newOrganisation } from "./people.ts";
import { startTestServer } from "./server.ts";

const logged: string[] = [];
const server = await startTestServer({
  overlay: faultyModels({ one: { fr: "ok" }, two: { fr: "ok" } }),
  log: createLog("error", (line) => logged.push(line)),
});
const { services } = server;
const { prisma } = services.database;
const others = await newOrganisation(server);
type Organisation = typeof others;

const reload = async () => {
  await prisma.$executeRaw`update config_version set version = version + 1`;
  await services.refreshSnapshot();
};

const asJson = { "content-type": "application/json" };
const ask = (key: string, more: object = {}) =>
  server.post("/completions", { model: "test/one", prompt: "x", max_tokens: 4, ...more }, { key });
const add = async (path: string, body: object, key: string) => {
  const response = await server.post(path, body, { key, headers: asJson });
  const answer = (await response.json()) as { data: { id: string; name?: string } };
  expect([response.status, answer]).toEqual([201, answer]);
  return answer.data;
};
const price = { currency: "EUR", input: "5", output: "5" };

interface Stored {
  readonly id: string;
  /** Where the API shows the problem; null if it cannot, because nobody may see the row. */
  readonly path: string | null;
}
interface Case {
  readonly table: string;
  /** Stores a valid row through the API, and then makes it unreadable. */
  readonly store: (us: Organisation) => Promise<Stored>;
  /** A request that the row concerns. */
  readonly request?: (key: string) => Promise<Response>;
  /** The status of that request, and what its answer contains. */
  readonly effect: readonly [status: number, text: string];
  readonly corrected: (us: Organisation, stored: Stored) => Promise<Response>;
}

const remove =
  (path: string) =>
  ({ key }: Organisation, { id }: Stored) =>
    server.send("DELETE", `${path}/${id}`, { key });

const cases: Record<string, Case> = {
  "a routing rule with an unknown preference excludes every endpoint": {
    table: "routing_rule",
    async store({ key }) {
      const provider = { data_collection: "deny" };
      const { id } = await add("/routing-rules", { name: "Old rule", scope: "org", provider }, key);
      await prisma.routing_rule.update({ where: { id }, data: { provider: { zone_of_old: "eu" } } });
      return { id, path: `/routing-rules/${id}` };
    },
    effect: [503, "Old rule"],
    corrected: ({ key }, { id }) =>
      server.send("PATCH", `/routing-rules/${id}`, { key, body: JSON.stringify({ provider: {} }) }),
  },
  "a routing rule of an unknown scope applies to everybody in the organisation": {
    table: "routing_rule",
    async store({ key, userId }) {
      const { id } = await add("/routing-rules", { name: "New rule", scope: "org" }, key);
      const data = { scope: "team", owner_id: userId };
      await prisma.routing_rule.update({ where: { id }, data });
      return { id, path: null };
    },
    effect: [503, "New rule"],
    async corrected({ key }, { id }) {
      await prisma.routing_rule.delete({ where: { id } });
      await reload();
      return server.send("GET", "/routing-rules", { key });
    },
  },
  "a budget with unknown dimensions refuses all requests of the organisation": {
    table: "budget",
    async store({ key }) {
      const body = { name: "Old budget", measure: "requests", limit: 100, period: "day" };
      const { id } = await add("/budgets", body, key);
      await prisma.budget.update({ where: { id }, data: { dimensions: [{ dimension: "team" }] } });
      return { id, path: `/budgets/${id}` };
    },
    effect: [503, "Old budget"],
    corrected: ({ key }, { id }) =>
      server.send("PATCH", `/budgets/${id}`, { key, body: JSON.stringify({ enabled: false }) }),
  },
  "a preset with unknown parameters is refused": {
    table: "preset_version",
    async store({ key }) {
      const { name, id } = await add("/presets", { name: "old", config: { temperature: 0 } }, key);
      const { id: _, ...first } = await prisma.preset_version.findFirstOrThrow({ where: { preset_id: id } });
      const second = { ...first, version: 2, config: { temperature: [] } };
      const { id: versionId } = await prisma.preset_version.create({ data: second });
      await prisma.preset.update({ where: { id }, data: { version: 2 } });
      return { id: versionId, path: `/presets/${name}` };
    },
    request: (key) => ask(key, { preset: "old" }),
    effect: [503, "old"],
    corrected: ({ key }) =>
      server.send("PATCH", "/presets/old", { key, body: JSON.stringify({ config: { temperature: 1 } }) }),
  },
  "a preset with an unknown preference about providers is refused": {
    table: "preset_version",
    async store({ key }) {
      const { id } = await add("/presets", { name: "new", config: { provider: { zdr: true } } }, key);
      const version = await prisma.preset_version.findFirstOrThrow({ where: { preset_id: id } });
      const { id: _, ...first } = version;
      const second = { ...first, version: 2, config: { provider: { zdr: true, planet: "earth" } } };
      const { id: versionId } = await prisma.preset_version.create({ data: second });
      await prisma.preset.update({ where: { id }, data: { version: 2 } });
      return { id: versionId, path: "/presets/new" };
    },
    request: (key) => ask(key, { preset: "new" }),
    effect: [503, "new"],
    corrected: ({ key }) =>
      server.send("PATCH", "/presets/new", { key, body: JSON.stringify({ config: { temperature: 1 } }) }),
  },
  "a destination with unknown filters gets nothing": {
    table: "destination",
    async store({ key }) {
      const { id } = await add("/broadcast-destinations", least, key);
      await prisma.destination.update({ where: { id }, data: { filter_rules: { every: [] } } });
      return { id, path: `/broadcast-destinations/${id}` };
    },
    effect: [200, "x"],
    corrected: remove("/broadcast-destinations"),
  },
  "an entry of the catalogue without fields is not used": {
    table: "catalogue_entry",
    async store({ orgId }) {
      const row = { org_id: orgId, scope: "organisation", section: "model", name: "own/chat", body: "text" };
      const { id } = await prisma.catalogue_entry.create({ data: row });
      return { id, path: `/catalogue-entries/${id}` };
    },
    effect: [200, "usage"],
    corrected: remove("/catalogue-entries"),
  },
};

describe.each(Object.entries(cases))("%s", (_, { table, store, request = ask, effect, corrected }) => {
  test("and the API shows why, the log once; others are not affected, and a correction ends it", async () => {
    const us = await newOrganisation(server);
    const stored = await store(us);
    await reload();
    await reload();
    expect((await ask(others.key)).status).toBe(200);
    const concerned = await request(us.key);
    expect([concerned.status, await concerned.text()]).toEqual([
      effect[0],
      expect.stringContaining(effect[1]),
    ]);
    if (stored.path !== null) {
      const shown = await server.send("GET", stored.path, { key: us.key });
      const problem = expect.stringMatching(/"(problem|stopped_reason)":"[^"]/);
      expect([shown.status, await shown.text()]).toEqual([200, problem]);
    }
    const about = logged.filter((line) => line.includes(stored.id));
    expect(about).toEqual([expect.stringContaining(`${table} ${stored.id}: `)]);
    expect((await corrected(us, stored)).status).toBe(200);
    const afterwards = await request(us.key);
    expect([afterwards.status, await afterwards.text()]).toEqual([200, expect.any(String)]);
  });
});

test("a stored price above the limit is ignored: the one before it applies, and the history says why", async () => {
  const [one, two] = ["sandbox-fr:test/one", "sandbox-fr:test/two"];
  const prices = [one, two].map((endpoint) => ({ endpoint, price }));
  expect((await server.post("/prices", { schema: "portolan-prices/1", prices })).status).toBe(200);
  const costOf = async (model: string) => {
    const { usage } = (await (await ask(server.key, { model })).json()) as {
      usage: { cost_eur: number; total_tokens: number };
    };
    return usage.cost_eur / usage.total_tokens;
  };
  const id = uuidv7();
  await prisma.price_book_entry.create({
    data: {
      id,
      endpoint: one,
      valid_from: new Date(),
      price: { ...price, input: "2000000", output: "2000000" },
    },
  });
  await reload();
  expect([await costOf("test/one"), await costOf("test/two")]).toEqual([
    expect.closeTo(5e-6, 12),
    expect.closeTo(5e-6, 12),
  ]);
  const history = await server.send("GET", `/prices?endpoint=${encodeURIComponent(one)}`);
  expect(await history.json()).toMatchObject({
    data: [
      { problem: expect.stringContaining("must be at most 1000000"), current: false, input: null },
      { problem: null, current: true, valid_until: null, input: "5.000000000000" },
      { problem: null, current: false, origin: "catalogue" },
    ],
  });
  expect(
    logged.filter((line) => line.includes(`price_book_entry ${id}: input: must be at most`)),
  ).toHaveLength(1);
});

test("a rule that cannot be read is in no file of the configuration", async () => {
  const us = await newOrganisation(server);
  await cases["a routing rule with an unknown preference excludes every endpoint"]?.store(us);
  const exported = await server.send("GET", "/config/export", { key: us.key });
  expect([exported.status, await exported.text()]).toEqual([409, expect.stringContaining("Old rule")]);
});

/** The table with JSON of each part of the configuration; null if it has columns of fixed types only. */
const tables: Record<keyof Configuration, string | null> = {
  rules: "routing_rule",
  budgets: "budget",
  presets: "preset_version",
  destinations: "destination",
  entryLayers: "catalogue_entry",
  priceOverrides: "price_book_entry",
  // The shipped catalogue is used instead, as the tests of updates show.
  baseCatalogue: null,
  keys: null,
  tags: null,
  // Sealed texts: the tests of own credentials show what one that cannot be decrypted means.
  own: null,
};

test("every part of the configuration that can be unreadable is tested", () => {
  const tested = new Set([...Object.values(cases).map(({ table }) => table), "price_book_entry"]);
  expect(tested).toEqual(new Set(Object.values(tables).filter((table) => table !== null)));
});

import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import type { DecisionReplay } from "#contract/decision-replay.ts";
import { systemOf } from "#server/access/caller.ts";
import { replayAll } from "#server/evidence/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { sha256Hex } from "#server/platform/crypto.ts";
import { unzipped } from "#test/unzipped.ts";
import { join } from "./people.ts";
import { bodyOf, messages, model, preferences, requests } from "./replayed-requests.ts";
import { startTestServer } from "./server.ts";

const isLong = process.env.REPLAYS === "long";
const changeCount = 50;
/** `npm run test:replays` takes the long form: more than 10,000 requests, as some are refused. */
const requestsPerChange = isLong ? 210 : 4;
vi.setConfig({ testTimeout: isLong ? 1_800_000 : 120_000 });

const server = await startTestServer();
const { services, post, send } = server;

async function ok<T>(response: Response): Promise<T> {
  const text = await response.text();
  expect(response.status, text).toBeLessThan(300);
  return JSON.parse(text) as T;
}

const replay = async (id: string): Promise<DecisionReplay> => ok(await post(`/generations/${id}/replay`, {}));
const own = { model, messages, max_tokens: 2 };

/** Sends a request; undefined if no provider may serve it. */
async function ask(path: string, body: object): Promise<string | undefined> {
  const response = await post(path, body);
  await response.text();
  return response.headers.get("x-generation-id") ?? undefined;
}

const chat = async (body: object = {}): Promise<string> => {
  const id = await ask("/chat/completions", { ...own, ...body });
  await services.billing.drain();
  return id ?? "";
};

/** Creates a rule that is deleted when the test ends. */
const temporaryRule = async (body: object): Promise<string> => {
  const id = await createRule({ scope: "org", ...body });
  onTestFinished(async () => {
    await send("DELETE", `/routing-rules/${id}`);
  });
  return id;
};

const createRule = async (body: object): Promise<string> =>
  (await ok<{ data: { id: string } }>(await post("/routing-rules", body))).data.id;

let rules: string[] = [];

async function deleteRules(count: number): Promise<void> {
  for (const id of rules.slice(0, count)) await ok(await send("DELETE", `/routing-rules/${id}`));
  rules = rules.slice(count);
}

/** Changes of what decisions are made from. */
const changes = {
  async rule(sampled: object, at: number) {
    const scope = at % 2 === 0 ? { scope: "org" } : { scope: "user" };
    const models = at % 3 === 0 ? { models: [model] } : {};
    rules.push(
      await createRule({
        name: `Rule ${at}`,
        ...scope,
        ...models,
        provider: sampled,
        auto_apply: at % 5 > 0,
      }),
    );
  },
  async changedRule(sampled: object, at: number) {
    const id = rules[at % rules.length];
    if (id)
      await ok(await send("PATCH", `/routing-rules/${id}`, { body: JSON.stringify({ provider: sampled }) }));
  },
  async lessRules() {
    await deleteRules(2);
  },
  async price(_: object, at: number) {
    const endpoint = `sandbox-${["fr", "de", "us"][at % 3]}:${model}`;
    const price = { currency: at % 2 === 0 ? "EUR" : "USD", input: `${(at % 7) / 5}`, output: "1.5" };
    await ok(await post("/prices", { schema: "portolan-prices/1", prices: [{ endpoint, price }] }));
  },
  async facts(_: object, at: number) {
    const slug = `sandbox-${["fr", "de", "us"][at % 3]}`;
    const facts = {
      retention_days: at % 4 === 0 ? 30 : 0,
      training: at % 5 === 0,
      can_publish: at % 7 === 0,
    };
    const provider = { slug, ...facts };
    const { data } = await ok<{ data: { id: string }[] }>(await send("GET", "/catalogue-entries"));
    for (const { id } of data) await ok(await send("DELETE", `/catalogue-entries/${id}`));
    await ok(await post("/catalogue-entries", { providers: [provider], models: [], endpoints: [] }));
  },
};
type Change = keyof typeof changes;

test(`decisions across ${changeCount} changes of rules, prices and facts are made again with the same digests`, async () => {
  const seed = Number(process.env.SEED ?? 19);
  const kinds: readonly Change[] = ["rule", "price", "facts", "changedRule", "rule", "price", "lessRules"];
  const sampled = fc.sample(preferences, { seed, numRuns: changeCount });
  const asked = fc.sample(requests, { seed, numRuns: changeCount * requestsPerChange });
  const ids: string[] = [];
  for (const [at, fields] of sampled.entries()) {
    await changes[kinds[at % kinds.length] ?? "rule"](fields, at);
    const batch = asked.slice(at * requestsPerChange, (at + 1) * requestsPerChange);
    for (const one of batch) {
      const id = await ask(one.path, bodyOf(one, rules[0]));
      if (id) ids.push(id);
    }
  }
  await services.billing.drain();
  await deleteRules(rules.length);
  const recorded = new Set<string>();
  for (const id of ids) {
    const { recorded: made } = await replay(id);
    expect(made, `${id}: ${JSON.stringify(made)}`).toMatchObject({
      outcome: "identical",
      routing_version: 1,
    });
    expect(made.replayed_hash).toBe(made.decision_hash);
    recorded.add(made.decision_hash ?? "");
  }
  console.info(`${ids.length} requests, ${recorded.size} decisions`);
  const all = await replayAll(services.database, 0);
  expect(all).toEqual({ identical: ids.length, notReplayable: 0, different: [] });
  expect(ids.length).toBeGreaterThan((changeCount * requestsPerChange) / 2);
  expect(recorded.size).toBeGreaterThan(changeCount);
});

const today = async (id: string) => (await replay(id)).today;

test("a request is answered for under the rules of today, by who would serve it or with the reason", async () => {
  const id = await chat({ provider: { order: ["sandbox-fr"] } });
  expect(await today(id)).toMatchObject({
    ...{ is_served: true, endpoint: `sandbox-fr:${model}`, provider: "sandbox-fr", is_same_endpoint: true },
    message: null,
  });
  const rule = await temporaryRule({ name: "Not in France", provider: { ignore: ["sandbox-fr"] } });
  const now = await replay(id);
  expect(now.recorded).toMatchObject({ outcome: "identical", results: [{ excluded: [] }] });
  expect(now.today).toMatchObject({ is_served: true, is_same_endpoint: false });
  expect(now.today.results[0]?.excluded).toMatchObject([
    {
      endpoint: `sandbox-fr:${model}`,
      excluded_by: "ignored_providers",
      set_by: { rule_id: rule, rule_name: "Not in France" },
    },
  ]);
  const everywhere = ["sandbox-fr", "sandbox-de", "sandbox-us"];
  await ok(
    await send("PATCH", `/routing-rules/${rule}`, {
      body: JSON.stringify({ provider: { ignore: everywhere } }),
    }),
  );
  expect(await today(id)).toMatchObject({ is_served: false, endpoint: null, is_same_endpoint: null });
  expect((await today(id)).message).toContain("excluded providers");
});

test("the rule that a request named is in its record, also after it was deleted", async () => {
  const name = "Only Germany";
  const rule = await createRule({
    name,
    scope: "org",
    auto_apply: false,
    provider: { only: ["sandbox-de"] },
  });
  const id = await chat({ rule_id: rule });
  await ok(await send("DELETE", `/routing-rules/${rule}`));
  const { recorded, today: now } = await replay(id);
  expect(recorded.outcome).toBe("identical");
  expect(recorded.results[0]?.excluded.map(({ endpoint, set_by }) => ({ endpoint, set_by }))).toEqual(
    ["fr", "us"].map((place) => ({
      endpoint: `sandbox-${place}:${model}`,
      set_by: { scope: "org", rule_id: rule, rule_name: name },
    })),
  );
  expect(now).toMatchObject({
    is_served: false,
    message: "rule_id: no such routing rule is enabled for you",
    results: [],
  });
});

test("the name of a person's own rule is shown to them and to administrators only", async () => {
  const rule = await temporaryRule({
    name: "Mine alone",
    scope: "user",
    provider: { ignore: ["sandbox-us"] },
  });
  const id = await chat();
  const { org_id: orgId } = await services.database.prisma.generation.findFirstOrThrow({ where: { id } });
  const other = await join(server, { orgId, caller: systemOf(orgId) }, "member");
  const seen = async (key?: string) => {
    const made = await ok<DecisionReplay>(
      await post(`/generations/${id}/replay`, {}, key === undefined ? {} : { key }),
    );
    return [made.recorded, made.today].map(({ results }) => results[0]?.excluded[0]?.set_by);
  };
  const named = { scope: "user", rule_id: rule, rule_name: "Mine alone" };
  expect(await seen()).toEqual([named, named]);
  const unnamed = { scope: "user", rule_id: rule };
  expect(await seen(other.key)).toEqual([unnamed, unnamed]);
});

test("a decision that somebody rewrote, and an order that its preferences do not allow, are another decision", async () => {
  const id = await chat({ provider: { ignore: ["sandbox-us"], order: ["sandbox-de"] } });
  const { prisma } = services.database;
  const where = { id };
  const { decision_hash, org_id, ranked } = await prisma.generation.findFirstOrThrow({ where });
  // As if the first one had not been named.
  await prisma.generation.updateMany({ where, data: { ranked: [[1, 0]] } });
  expect(ranked).toEqual([[0, 1]]);
  expect((await replay(id)).recorded.outcome).toBe("different");
  expect((await replayAll(services.database, 0)).different).toEqual([{ orgId: org_id, id }]);
  await prisma.generation.updateMany({ where, data: { ranked: [[0, 1]] } });
  expect((await replay(id)).recorded.outcome).toBe("identical");
  // As if another rule had been named.
  const { parameters } = await prisma.generation.findFirstOrThrow({ where });
  const named = { ...(parameters as object), rule_id: "00000000-0000-7000-8000-000000000000" };
  await prisma.generation.updateMany({ where, data: { parameters: named } });
  expect((await replay(id)).recorded).toMatchObject({
    outcome: "different",
    replayed_hash: null,
    results: [],
  });
  await prisma.generation.updateMany({ where, data: { parameters: parameters ?? {} } });
  // As if nobody had excluded it.
  await services.database.statement(
    `with forged as (
       insert into decision_basis (org_id, hash, body, seen_on)
       select org_id, sha256(convert_to(text, 'UTF8')), text::json, seen_on
       from (select *, regexp_replace(body::text, '"excluded":\\[[^\\]]*\\]', '"excluded":[]') as text
         from decision_basis where org_id = $1::uuid and hash = $2) as basis
       returning hash)
     update generation set decision_hash = forged.hash from forged where id = $3::uuid`,
    [org_id, decision_hash, id],
  );
  const { recorded } = await replay(id);
  expect(recorded.outcome).toBe("different");
  expect(recorded.replayed_hash).toBe(Buffer.from(decision_hash ?? []).toString("hex"));
});

test("a decision that cannot be made again says why", async () => {
  const { prisma, statement } = services.database;
  const id = await chat({ provider: { max_price: { prompt: 77 } } });
  const decisionHash = (await prisma.generation.findFirstOrThrow({ where: { id } })).decision_hash;
  const inputs = "(select decode(body ->> 'inputs', 'hex') from decision_basis where hash = $1)";
  const stored = await statement<{ body: string }>(
    `update decision_input set body = '{"version":0}' where hash = ${inputs} returning body::text`,
    [decisionHash],
  );
  expect(stored).toHaveLength(1);
  expect((await replay(id)).recorded).toMatchObject({
    ...{ outcome: "not_replayable", results: [], replayed_hash: null },
    message: "Version 0 of routing made this decision; this is version 1",
  });
  await statement(`delete from decision_input where hash = ${inputs}`, [decisionHash]);
  expect((await replay(id)).recorded.message).toMatch(
    /^The inputs [0-9a-f]{64} of this decision are not stored$/,
  );
  await prisma.generation.updateMany({ where: { id }, data: { decision_hash: null } });
  expect((await replay(id)).recorded).toMatchObject({
    ...{ outcome: "not_replayable", decision_hash: null },
    message: "The inputs of this decision are not recorded: an earlier version of Portolan made it",
  });
});

test("an evidence package has what its decisions were made from, under the hashes that they refer to", async () => {
  const rule = await temporaryRule({ name: "In Germany", provider: { only: ["sandbox-de"] } });
  await chat();
  const nowMs = clock.nowMs();
  const [from, to] = [nowMs - 60_000, nowMs + 1_000].map(isoTime);
  const later = vi.spyOn(clock, "nowMs").mockReturnValue(nowMs + 3_600_000);
  onTestFinished(() => later.mockRestore());
  const { data } = await ok<{ data: { id: string } }>(
    await post("/evidence-packages", { from, to, rule_id: rule }),
  );
  const archive = await vi.waitFor(async () => {
    const response = await send("GET", `/evidence-packages/${data.id}/file`);
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  }, 10_000);
  const files = unzipped(archive.toString("base64"));
  const named = (folder: string) => Object.entries(files).filter(([name]) => name.startsWith(`${folder}/`));
  const inputs = new Map(named("inputs").map(([name, text]) => [name.slice(7, -5), text]));
  for (const [hash, text] of inputs) expect(sha256Hex(text)).toBe(hash);
  const [decision] = named("decisions").map(([, text]) => JSON.parse(text) as { inputs: string });
  const root = JSON.parse(inputs.get(decision?.inputs ?? "") ?? "") as { rules: string[] };
  expect(JSON.parse(inputs.get(root.rules[0] ?? "") ?? "")).toMatchObject({ id: rule, name: "In Germany" });
});

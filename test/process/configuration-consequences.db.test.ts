import { expect, test } from "vitest";
import type { GenerationRow } from "#server/billing/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { configurationClient, recordRequests, servedBy, settings } from "./configuring.ts";
import { faultyModels } from "./overlay.ts";
import { newOrganisation } from "./people.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({
  overlay: faultyModels({
    ladder: { fr: "ok", de: "ok", us: "ok" },
    abroad: { us: "ok" },
    group: { fr: "ok", us: "ok" },
  }),
  settings,
});
const ours = await newOrganisation(server);
const { apply, plan } = configurationClient(server, ours.key);
const { prisma } = server.services.database;

async function send(path: string, body: object, key = ours.key): Promise<Record<string, unknown>> {
  const response = await server.post(path, body, { key });
  const answer = (await response.json()) as Record<string, unknown>;
  expect([response.status, answer.error]).toEqual([response.status < 300 ? response.status : 200, undefined]);
  return answer;
}

const keyNames = "disabled,expiring,narrow,mute,capped,fast,moving,crowd,private,steady".split(",");
const before = `version: 1
workspaces:
  - { name: Research }
  - { name: Limited }
  - { name: Closed }
keys:
${keyNames.map((name) => `  - { name: ${name} }`).join("\n")}
  - { name: old, workspace: Closed }
rules:
  - { name: France, scope: workspace, workspace: Limited, provider: { only: [ sandbox-fr ] } }
  - { name: unused, model: test/ladder, enabled: false }
destinations:
  - { name: stops, type: webhook, config: { url: http://127.0.0.1:9/a }, keys: [ steady ] }
  - { name: sampled, type: webhook, config: { url: http://127.0.0.1:9/b }, keys: [ steady ] }
  - { name: filtered, type: webhook, config: { url: http://127.0.0.1:9/c }, keys: [ steady, private ] }
  - { name: content, type: webhook, config: { url: http://127.0.0.1:9/d }, keys: [ private ], privacy_mode: true }
  - { name: moved, type: otel-collector, config: { endpoint: http://127.0.0.1:9/f }, keys: [ fast ] }
  - { name: conditions, type: otel-collector, config: { endpoint: http://127.0.0.1:9/g }, keys: [ crowd ] }
budgets:
  - { name: gone, measure: eur, limit: 100, period: day, dimensions: [ { dimension: key, value: steady } ] }
  - { name: lower, measure: tokens, limit: 1000000, period: day, dimensions: [ { dimension: key, value: crowd } ] }
presets:
  - { name: letters, config: { temperature: 0.1 } }
  - { name: old-letters }
`;

const after = `version: 1
workspaces:
  - { name: Research }
  - { name: Limited, limit: 0.5, limit_reset: daily }
keys:
  - { name: disabled, disabled: true }
  - { name: expiring, expires_at: "2099-01-01T00:00:00Z" }
  - { name: narrow, allowed_models: [ test/ladder ] }
  - { name: mute, permissions: [ activity:read ] }
  - { name: capped, limit: 1, limit_reset: weekly }
  - { name: fast, requests_per_minute: 3 }
  - { name: moving, workspace: Limited }
  - { name: crowd }
  - { name: private }
  - { name: steady }
rules:
  - { name: France, scope: workspace, workspace: Limited, provider: { only: [ sandbox-fr ] } }
  - { name: unused, model: test/ladder, enabled: false }
  - { name: No requests abroad, model: test/abroad, provider: { data_residency: eu } }
  - { name: Germany, model: test/ladder, provider: { data_residency: de } }
destinations:
  - { name: stops, type: webhook, config: { url: http://127.0.0.1:9/a }, keys: [ steady ], enabled: false }
  - { name: sampled, type: webhook, config: { url: http://127.0.0.1:9/b }, keys: [ steady ], sampling_rate: 0.5 }
  - { name: filtered, type: webhook, config: { url: http://127.0.0.1:9/c }, keys: [ private ] }
  - { name: content, type: webhook, config: { url: http://127.0.0.1:9/d }, keys: [ private ] }
  - { name: moved, type: otel-collector, config: { endpoint: http://127.0.0.1:9/another }, keys: [ fast ] }
  - { name: conditions, type: otel-collector, config: { endpoint: http://127.0.0.1:9/g }, keys: [ crowd ], residency: eu }
  - { name: starts, type: webhook, config: { url: http://127.0.0.1:9/e }, keys: [ steady ], privacy_mode: true }
budgets:
  - { name: lower, measure: tokens, limit: 100, period: day, dimensions: [ { dimension: key, value: crowd } ] }
  - name: a day per end user
    measure: eur
    limit: 1
    period: day
    dimensions: [ { dimension: key, value: private }, { dimension: end_user, value: null } ]
  - name: one per team
    measure: requests
    limit: 1
    period: day
    dimensions: [ { dimension: key, value: private }, { dimension: metadata.team, value: null } ]
  - name: two at once
    measure: concurrency
    limit: 2
    period: none
    dimensions: [ { dimension: key, value: crowd } ]
presets:
  - { name: letters, config: { temperature: 0.9 } }
`;

/** Code, resource, recorded requests that it concerns, and a part of the text. */
const planted: readonly (readonly [string, string, number, string])[] = [
  [
    "workspace_limit",
    "Limited",
    2,
    "2 requests in the last 30 days came after the limit of EUR 0.5 was used up",
  ],
  ["workspace_removed", "Closed", 2, "were of the workspace"],
  ["key_removed", "old", 2, "It sent 2 requests for EUR 0.500000"],
  ["key_children", "old", 0, "1 key that it created end with it"],
  ["key_disabled", "disabled", 3, "It sent 3 requests for EUR 0.750000"],
  ["key_expires", "expiring", 1, "ends at 2099-01-01"],
  [
    "key_models",
    "narrow",
    2,
    "2 requests in the last 30 days were for models that it may not use any more: sandbox/chat",
  ],
  ["key_permissions", "mute", 5, "without inference:use"],
  ["key_limit", "capped", 2, "2 requests in the last 30 days came after the limit of EUR 1 was used up"],
  ["key_rate", "fast", 2, "exceeded 3 in one minute; the most were 5"],
  ["key_workspace", "moving", 4, 'of the workspace "Limited"'],
  ["budget_removed", "gone", 8, "which it does not limit any more"],
  ["budget_exceeded", "lower", 1, "came after the limit of 100 tokens was used up; the highest use was 120"],
  [
    "budget_exceeded",
    "a day per end user",
    1,
    "came after the limit of EUR 1 was used up; the highest use was 1.5",
  ],
  [
    "budget_exceeded",
    "one per team",
    1,
    "came after the limit of 1 request was used up; the highest use was 2",
  ],
  ["budget_exceeded", "two at once", 2, "the highest use was 4"],
  ["destination_stops", "stops (webhook)", 8, "Traces of about 8 requests"],
  ["destination_sampling", "sampled (webhook)", 8, "of about 4 requests"],
  [
    "destination_keys",
    "filtered (webhook)",
    12,
    "of about 4 requests in the last 30 days would have been sent, not of about 12",
  ],
  [
    "destination_content",
    "content (webhook)",
    4,
    "Prompts and answers of 4 requests in the last 30 days would have been sent",
  ],
  ["destination_address", "moved (otel-collector)", 5, "would have been sent with other settings"],
  ["destination_conditions", "conditions (otel-collector)", 4, "Other conditions would have applied"],
  ["destination_starts", "starts (webhook)", 8, "without prompts and answers"],
  ["preset_changed", "letters", 2, "2 requests in the last 30 days used it"],
  ["preset_removed", "old-letters", 1, "1 request in the last 30 days used it"],
  ["rule_refuses", "No requests abroad", 3, "3 of"],
  ["rule_moves", "Germany", 5, "sandbox-us -> sandbox-de (5)"],
  ["rule_places", "Germany", 5, "US: "],
  ["rule_cost", "Germany", 5, "The cost would have been EUR"],
  ["rule_moves", "moving", 4, "sandbox-us -> sandbox-fr (4)"],
  ["rule_places", "moving", 4, "FR: "],
  ["rule_cost", "moving", 4, "The cost would have been EUR"],
];

/** Two days ago at noon, so that all requests of a test are in one day and minute. */
const noonMs = Math.floor(clock.nowMs() / 86_400_000) * 86_400_000 - 36 * 3_600_000;

const keyNamed = (name: string) => prisma.api_key.findFirstOrThrow({ where: { org_id: ours.orgId, name } });

async function record(key: string, count: number, more: (at: number) => Partial<GenerationRow> = () => ({})) {
  const { id, workspace_id } = await keyNamed(key);
  const from = { api_key_id: id, workspace_id };
  await recordRequests(server, ours, { count, fromMs: noonMs, more: (at) => ({ ...from, ...more(at) }) });
}

async function recordTraffic() {
  const limited = await prisma.workspace.findFirstOrThrow({ where: { org_id: ours.orgId, name: "Limited" } });
  await record("old", 2);
  await record("disabled", 3);
  await record("expiring", 1);
  await record("narrow", 3, (n) => (n === 0 ? servedBy("sandbox-de:test/ladder") : {}));
  await record("mute", 5, (n) => (n < 4 ? { workspace_id: limited.id } : {}));
  await record("capped", 6);
  await record("fast", 5);
  await record("moving", 4, () => servedBy("sandbox-us:test/group"));
  // Four at once, and 30 tokens each.
  await record("crowd", 4, () => ({ started_at: isoTime(noonMs), duration_ms: 60_000 }));
  // The end users spend 1.5 and 0.5 in one day, and the last two requests are of no team.
  await record("private", 4, (n) => ({
    user_reference: n < 2 ? "ann" : "ben",
    ...(n < 2 && { tags: { "metadata.team": "sales" } }),
    cost_pico_eur: n < 2 ? "750000000000" : "250000000000",
  }));
  await record("steady", 3, (n) => ({
    ...servedBy("sandbox-us:test/abroad"),
    parameters: { preset: n < 2 ? `letters@${n + 1}` : "old-letters@1" },
  }));
  await record("steady", 5, () => servedBy("sandbox-us:test/ladder"));
}

/** A key that the key to be removed created, in the name of its limit, so that no file can describe it. */
async function addChild() {
  const made = await send("/keys", { name: "maker", permissions: ["inference:use", "keys:write"], limit: 5 });
  await send("/keys", { name: "child", limit: 1 }, String(made.key));
  const [child, old] = [await keyNamed("child"), await keyNamed("old")];
  await prisma.api_key.update({ where: { id: child.id }, data: { maker_id: old.id, parent_id: old.id } });
  await server.send("DELETE", `/keys/${String(made.key).slice(4, 16)}`, { key: ours.key });
}

const planOf = (file: string) => plan(file, { prune: true });

test("the plan names each of the planted consequences on recorded traffic, and no other", async () => {
  await apply(before);
  await addChild();
  await recordTraffic();
  const { consequences, traffic } = await planOf(after);
  const alone = consequences.filter(({ name }) => name !== "all changes of routing together");
  for (const [code, name, requests, text] of planted) {
    const named = alone.find((one) => one.code === code && one.name === name);
    expect([code, name, named?.requests, named?.message]).toEqual([
      code,
      name,
      requests,
      expect.stringContaining(text),
    ]);
  }
  const isPlanted = (one: (typeof alone)[number]) =>
    planted.some(([code, name]) => one.code === code && one.name === name);
  expect(alone.filter((one) => !isPlanted(one))).toEqual([]);
  expect(traffic).toMatchObject({ truncated: false, requests: 45 });
});

test("a plan without effect on recorded traffic has no consequences", async () => {
  const { changes, consequences } = await planOf(
    "version: 1\nbudgets:\n  - { name: wide, measure: eur, limit: 1000000, period: day }\n",
  );
  expect(changes).toHaveLength(3);
  expect(consequences.map(({ code }) => code)).toEqual(["budget_removed", "budget_removed"]);
  const none = await planOf(
    before.replace("- { name: Research }", "- { name: Research, description: Ships }"),
  );
  expect([none.changes.length, none.consequences]).toEqual([1, []]);
});

// The last section of npm run bench, alone with `node bench/policy.ts`: what one choice costs the router by the
// number of rules, on a catalogue of 500 providers and 2,000 endpoints.
import { performance } from "node:perf_hooks";
import type { ProviderPreferences } from "#contract/preferences.ts";
import type { RuleScope } from "#contract/routing-rule.ts";
import { createRouter, type Rule, RuleIndex } from "#server/policy/index.ts";
import { noSignals } from "#server/policy/signals.ts";
import { catalogueOf, endpoint, fact, model, price, provider } from "#test/catalogues.ts";

const [providerCount, endpointCount, modelCount] = [500, 2_000, 100];
const ruleCounts = [10, 100, 1_000, 10_000];
const rounds = 20_000;
const limitUs = 100;

/** A generator that gives the same numbers on every machine (mulberry32). */
function seeded(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = seeded(2026);
const pick = <T>(items: readonly [T, ...T[]]): T => items[Math.floor(random() * items.length)] ?? items[0];

function makeCatalogue() {
  const models = Array.from({ length: modelCount }, (_, at) => model(`maker/model-${at}`));
  const countries = ["FR", "DE", "NL", "SE", "NO", "GB", "US"] as const;
  const providers = Array.from({ length: providerCount }, (_, at) => {
    const country = pick(countries);
    return provider(`provider-${at}`, {
      datacenters: [country],
      euOwned: fact(pick([true, false, null])),
      retentionDays: fact(pick([0, 7, 30, null])),
      training: fact(pick([false, false, true])),
    });
  });
  const endpoints = Array.from({ length: endpointCount }, (_, at) => {
    const of = models[at % modelCount];
    const from = providers[Math.floor(at / 4)];
    if (!of || !from) throw new RangeError("The catalogue has a hole");
    return endpoint(from, of, {
      price: price(String(1 + (at % 17))),
      quantization: pick(["fp8", "bf16", "fp4"]),
    });
  });
  return catalogueOf(endpoints);
}

const orgId = "organisation";
const subject = { orgId, userId: "person", workspaceId: "workspace", keyId: "key" };
const owners = { org: orgId, workspace: subject.workspaceId, user: subject.userId, api_key: subject.keyId };

/** All rules are of one organisation and bind the same key, the worst case: one in two speaks of one model only. */
const makeRules = (count: number): Rule[] =>
  Array.from({ length: count }, (_, at) => {
    const scope = pick<RuleScope>(["org", "workspace", "user", "api_key"]);
    return {
      id: `rule-${at}`,
      name: `Rule ${at}`,
      scope,
      ownerId: owners[scope],
      workspaceId: null,
      orgId,
      models: at % 2 === 0 ? [`maker/model-${Math.floor(random() * modelCount)}`] : [],
      preferences: pick<ProviderPreferences>([
        { ignore: [`provider-${Math.floor(random() * providerCount)}`] },
        { data_residency: "eea" },
        { max_price: { prompt: 15 + Math.floor(random() * 10) } },
        { data_collection: "deny" },
        { sort: "price" },
      ]),
      enabled: true,
      autoApply: true,
      updatedAtMs: at,
    };
  });

/** Microseconds of this thread for one of `times` calls; the machine's other work does not count. */
function cpuUs(times: number, work: (at: number) => void): number {
  const before = process.threadCpuUsage();
  for (let at = 0; at < times; at++) work(at);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / times;
}

export interface PolicyRow {
  readonly rules: number;
  readonly index_ms: number;
  readonly first_us: number;
  readonly remembered_us: number;
  readonly own_wishes_us: number;
}

/** Measures the curve. A row's `first` is the choice for a model nobody has asked for since the rules changed. */
export function measurePolicy(): PolicyRow[] {
  const catalogue = makeCatalogue();
  return ruleCounts.map((count) => {
    const rules = makeRules(count);
    const startedMs = performance.now();
    const index = new RuleIndex(rules);
    const indexMs = performance.now() - startedMs;
    const router = createRouter({
      catalogue,
      credentials: new Set<string>(),
      defaultResidency: "eea",
      adequacyExclude: new Set(),
      rules: () => index,
      signals: noSignals,
      random,
    });
    const context = {
      subject,
      apis: ["completions", "chat"] as const,
      today: "2026-11-20",
      needs: { promptTokens: 100, maxTokens: 256, parameters: ["temperature"] },
    };
    const of = (at: number) => `maker/model-${at % modelCount}`;
    const plain = (at: number) => void router.route({ model: of(at) }, context);
    const own = (at: number) => {
      const preferences = {
        data_residency: "eu",
        max_retention_days: 7,
        ignore: ["provider-3", "Provider-9"],
        eu_owned: true,
      };
      router.route({ model: of(at), provider: preferences }, context);
    };
    const first = cpuUs(modelCount, plain);
    cpuUs(rounds / 4, (at) => {
      plain(at);
      own(at);
    });
    return {
      rules: count,
      index_ms: indexMs,
      first_us: first,
      remembered_us: cpuUs(rounds, plain),
      own_wishes_us: cpuUs(rounds, own),
    };
  });
}

/** The curve as a Markdown table with its one-line verdict. */
export function policyTable(rows: readonly PolicyRow[]): string {
  const worst = Math.max(...rows.flatMap((row) => [row.remembered_us, row.own_wishes_us]));
  return [
    `Routing, ${providerCount} providers × ${endpointCount.toLocaleString("en")} endpoints of ${modelCount} models, all rules apply to one key, CPU µs for one decision:`,
    "",
    "| rules | remembered | with own preferences | first after a change | index, ms |",
    "| ----: | ---------: | -------------------: | -------------------: | --------: |",
    ...rows.map(
      (row) =>
        `| ${row.rules.toLocaleString("en")} | ${row.remembered_us.toFixed(1)} | ${row.own_wishes_us.toFixed(1)} | ${row.first_us.toFixed(0)} | ${row.index_ms.toFixed(1)} |`,
    ),
    "",
    `The slowest choice takes ${worst.toFixed(1)} µs; the limit is ${limitUs} µs: ${worst < limitUs ? "passed" : "FAILED"}.`,
  ].join("\n");
}

if (import.meta.main) console.log(policyTable(measurePolicy()));

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { exclusionLabel, whyText } from "#contract/exclusion-words.ts";
import { Explanation } from "#contract/explanation.ts";
import { GenerationDetail } from "#contract/generation.ts";
import { effectsOf } from "#contract/preference-words.ts";
import { AnsweredPreferences } from "#contract/preferences.ts";
import { exchangeRate } from "#server/platform/money.ts";
import type { Decision } from "#server/policy/index.ts";
import { RuleIndex } from "#server/policy/index.ts";
import { arbitraryEndpoints, arbitraryRules, routerOver, subject, today } from "#test/arbitrary-policies.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { arbitraryRequests, recordAndReplay } from "#test/replays.ts";
import { explain } from "./explain.ts";

vi.setConfig({ testTimeout: 120_000 });
const rate = exchangeRate("1.1", "2026-11-01", "test");
const bare = sampleOf(GenerationDetail, { gaps: "always" });

/** How attempts at the first endpoints of a decision ended, and the request with them. */
const endings = fc.record({
  failures: fc.array(fc.constantFrom("timeout", "rate_limited", "server_error"), { maxLength: 3 }),
  answered: fc.boolean(),
  status: fc.constantFrom("completed", "failed", "cancelled", "interrupted"),
});

interface Ending {
  readonly failures: readonly string[];
  readonly answered: boolean;
  readonly status: GenerationDetail["status"];
}

/** The record of a request that was routed by these decisions, as it is stored and read. */
function recordOf(
  recorded: { readonly basis: { readonly body: string } },
  ranked: readonly (readonly string[])[],
  ending: Ending,
): GenerationDetail {
  const { models } = JSON.parse(recorded.basis.body) as { models: object[] };
  const order = ranked.flat();
  const failed = ending.failures.slice(0, Math.max(0, order.length - 1));
  const outcomes = ending.answered && order.length > 0 ? [...failed, "ok"] : failed;
  return GenerationDetail.parse({
    ...bare,
    status: ending.answered ? ending.status : "failed",
    error_code: ending.answered && ending.status !== "failed" ? null : "PROVIDER_ERROR",
    tries: outcomes.map((outcome, at) => ({
      ...{
        endpoint: order[at] ?? "",
        provider: "x",
        outcome,
        status: outcome === "ok" ? 200 : 502,
        duration_ms: 5,
      },
    })),
    decision: { models: models.map((model, at) => ({ ...model, ranked: ranked[at] ?? [] })) },
  });
}

/** The first reasons of a decision, by endpoint. */
const reasonsOf = ({ excluded }: Decision) =>
  new Map(excluded.map(({ endpoint, refusals }) => [endpoint.id, whyText(refusals[0])]));

test("an explanation equals the record of the decision, for thousands of decisions", () => {
  let count = 0;
  fc.assert(
    fc.property(
      arbitraryEndpoints,
      arbitraryRules(6),
      fc.array(fc.tuple(arbitraryRequests, endings), { minLength: 1, maxLength: 6 }),
      (endpoints, rules, all) => {
        const index = new RuleIndex(rules);
        const router = routerOver(endpoints, rules, { rules: () => index });
        for (const [{ ask, needs }, ending] of all) {
          const routed = router.route(ask, { subject, apis: ["completions", "chat"], today, needs });
          if (routed.decisions.length === 0) continue;
          const { inputModalities, outputModalities } = needs;
          const { recorded, ranked, decisions } = recordAndReplay(routed.decisions, {
            ...{ ask, subject, today, exchangeRate: rate, inputModalities, outputModalities },
          });
          const detail = recordOf(recorded, ranked, ending);
          const names = new Map(rules.map((rule) => [rule.id, { name: rule.name, changedBy: "Ada" }]));
          for (const made of [decisions, null]) {
            const card = Explanation.parse(explain({ detail, decisions: made, rules: names }));
            expectSame(card, detail, made);
          }
          count++;
        }
      },
    ),
    { numRuns: 2_500 },
  );
  expect(count).toBeGreaterThan(5_000);
});

/** Compares what a person reads with what is stored. */
function expectSame(
  card: Explanation,
  detail: GenerationDetail,
  decisions: readonly Decision[] | null,
): void {
  const { models } = detail.decision;
  expect(card.models.map(({ model }) => model)).toEqual(models.map(({ model }) => model));
  expect(card.has_facts).toBe(decisions !== null);
  for (const [at, { ranked, excluded }] of models.entries()) {
    const { candidates = [] } = card.models[at] ?? {};
    const admitted = candidates.filter(({ rank }) => rank !== null);
    expect(admitted.map(({ endpoint }) => endpoint)).toEqual(ranked);
    expect(admitted.map(({ rank }) => rank)).toEqual(ranked.map((_, position) => position + 1));
    const out = candidates.filter(({ rank }) => rank === null);
    expect(out.map(({ endpoint, reason_code }) => [endpoint, reason_code])).toEqual(
      excluded.map(({ endpoint, excluded_by }) => [endpoint, excluded_by]),
    );
    const decision = decisions?.[at];
    const reasons = decision ? reasonsOf(decision) : null;
    for (const { endpoint, reason, reason_code: code, set_by, place, role } of out) {
      expect(role).toBe("excluded");
      expect(reason).toBe(reasons ? reasons.get(endpoint) : exclusionLabel(code ?? ""));
      expect(set_by).toBeTruthy();
      expect(place === null).toBe(decisions === null);
    }
  }
  const served = card.models
    .flatMap(({ candidates }) => candidates)
    .filter(({ role }) => /served/.test(role));
  const last = detail.tries.at(-1);
  // The same endpoint can be a candidate of two requested models.
  expect(new Set(served.map(({ endpoint }) => endpoint))).toEqual(
    new Set(last?.outcome === "ok" ? [last.endpoint] : []),
  );
  expect(card.attempts.map(({ endpoint, succeeded }) => [endpoint, succeeded])).toEqual(
    detail.tries.map(({ endpoint, outcome }) => [
      endpoint,
      outcome === "ok" && !["failed", "interrupted"].includes(detail.status),
    ]),
  );
  const preferences = AnsweredPreferences.parse(models[0]?.preferences);
  expect(card.requirements).toEqual(effectsOf(preferences));
  const [first] = models;
  const order = preferences.order?.map((slug) => slug.toLowerCase()) ?? [];
  const named = (id = "") => order.some((slug) => id.startsWith(`${slug}:`) || id.startsWith(`${slug}/`));
  if (models.length === 1 && /tried first: it is the first one that the preferences name/.test(card.summary))
    expect(named(first?.ranked[0])).toBe(true);
  if (models.length === 1 && /no endpoint that the preferences name/.test(card.summary))
    expect(first?.ranked.some((id) => named(id))).toBe(false);
  expect(card.rules.map(({ id }) => id)).toEqual([...new Set(models.flatMap(({ rules }) => rules))]);
}

const endpoint = (id: string, outcome: string) => ({
  ...{ endpoint: id, provider: "x", outcome, status: outcome === "ok" ? 200 : 503, duration_ms: 5 },
});
const model = { model: "m", strategy: "lowest-cost", rules: [], rule_count: 0, excluded: [] };
const excluded = [{ endpoint: "us:m", excluded_by: "data_region", set_by: "org" }];

test.each<[string, Partial<GenerationDetail>, string]>([
  [
    "was served by the first of several",
    {
      tries: [endpoint("a:m", "ok")],
      decision: { models: [{ ...model, ranked: ["a:m", "b:m"], excluded }] },
    },
    "a served it. 2 of 3 endpoints were admitted. It was tried first: it has the lowest price of those that did not fail recently.",
  ],
  [
    "was served by the only one",
    { tries: [endpoint("a:m", "ok")], decision: { models: [{ ...model, ranked: ["a:m"], excluded }] } },
    "a served it. 1 of 2 endpoints were admitted. No other endpoint was admitted.",
  ],
  [
    "was served after others failed",
    {
      tries: [endpoint("a:m", "timeout"), endpoint("a:m", "timeout"), endpoint("b:m", "ok")],
      decision: { models: [{ ...model, ranked: ["a:m", "b:m"] }] },
    },
    "b served it. 2 of 2 endpoints were admitted. It was tried after another one failed.",
  ],
  [
    "was not served",
    {
      ...{ status: "failed", error_code: "PROVIDER_ERROR", tries: [endpoint("a:m", "timeout")] },
      decision: { models: [{ ...model, ranked: ["a:m"] }] },
    },
    "No provider served it (PROVIDER_ERROR): the one endpoint that was tried failed. 1 of 1 endpoint was admitted.",
  ],
  [
    "was cut off",
    {
      ...{ status: "failed", error_code: "PROVIDER_ERROR", tries: [endpoint("a:m", "ok")] },
      decision: { models: [{ ...model, ranked: ["a:m", "b:m"] }] },
    },
    "a began to answer, then broke off. 2 of 2 endpoints were admitted. It was tried first: it has the lowest price of those that did not fail recently.",
  ],
  [
    "was served by the first one that the preferences name",
    {
      tries: [endpoint("b/eu:m", "ok")],
      decision: {
        models: [
          { ...model, strategy: "explicit-order", preferences: { order: ["B"] }, ranked: ["b/eu:m", "a:m"] },
        ],
      },
    },
    "b served it. 2 of 2 endpoints were admitted. It was tried first: it is the first one that the preferences name.",
  ],
  [
    "was served by one that the preferences do not name",
    {
      tries: [endpoint("b:m", "ok")],
      decision: {
        models: [
          { ...model, strategy: "explicit-order", preferences: { order: ["x"] }, ranked: ["b:m", "a:m"] },
        ],
      },
    },
    "b served it. 2 of 2 endpoints were admitted. It was tried first: no endpoint that the preferences name was admitted.",
  ],
  ["was refused before", { status: "failed", tries: [], decision: { models: [] } }, "No provider was asked."],
])("the summary of a request that %s", (_what, more, summary) => {
  const detail = { ...bare, status: "completed", error_code: null, ...more } as GenerationDetail;
  expect(explain({ detail, decisions: null, rules: new Map() }).summary).toBe(summary);
});

test("a rule of another person shows neither its name nor what it asks for", () => {
  const id = "018f0000-0000-7000-8000-0000000000aa";
  const rule = {
    ...{
      id,
      name: "Secret",
      scope: "user" as const,
      orgId: "o",
      models: [],
      ownerId: "p",
      workspaceId: null,
    },
    ...{
      preferences: { eu_owned: true },
      enabled: true,
      autoApply: true,
      updatedAtMs: Date.UTC(2026, 10, 3),
    },
  };
  const detail: GenerationDetail = {
    ...bare,
    decision: {
      models: [{ ...model, ranked: [], rules: [id], excluded: [{ ...excluded[0], set_by: id }] as never }],
    },
  };
  const decision = { ranked: [], excluded: [], rules: [rule] } as unknown as Decision;
  const ofOther = explain({ detail, decisions: [decision], rules: new Map() });
  expect(ofOther.rules).toEqual([
    { id, scope: "user", name: null, requirements: [], changed_at: null, changed_by: null },
  ]);
  expect(JSON.stringify(ofOther)).not.toContain("Secret");
  const own = explain({
    detail,
    decisions: [decision],
    rules: new Map([[id, { name: "Secret", changedBy: "Ada" }]]),
  });
  expect(own.rules).toEqual([
    {
      ...{ id, scope: "user", name: "Secret", requirements: ["EU-owned only"], changed_by: "Ada" },
      changed_at: "2026-11-03T00:00:00.000Z",
    },
  ]);
  expect(own.models[0]?.candidates[0]?.set_by).toBe("“Secret”");
});

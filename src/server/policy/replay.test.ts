import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { sha256Hex } from "#server/platform/crypto.ts";
import { exchangeRate } from "#server/platform/money.ts";
import { arbitraryEndpoints, arbitraryRules, routerOver, subject, today } from "#test/arbitrary-policies.ts";
import { arbitraryRequests, recordAndReplay } from "#test/replays.ts";
import { exclusionsOf } from "./explain.ts";
import { routingVersion } from "./record-inputs.ts";
import { type RecordedRequest, readRoutingInput, replayDecision } from "./replay.ts";
import type { Decision } from "./router.ts";
import { RuleIndex } from "./rule-index.ts";

vi.setConfig({ testTimeout: 120_000 });
const rate = exchangeRate("1.1", "2026-11-01", "test");

/** Measurements that differ at each look, as in a busy gateway. */
const unsteady = (numbers: Iterator<number>) => {
  const next = () => (numbers.next().value ?? 0) / 100;
  const percentiles = () => {
    const p50 = next();
    return { p50, p75: p50 * 2, p90: p50 * 3, p99: p50 * 4 };
  };
  return {
    random: next,
    signals: () => ({
      ...{ cooling: next() < 0.2, attempts: 1, health: next() },
      ...{ latency: next() < 0.5 ? null : percentiles(), throughput: next() < 0.5 ? null : percentiles() },
    }),
  };
};

const reasonsIn = ({ requested, effective, rules, excluded }: Decision) => ({
  ...{ requested, effective, rules, excluded: exclusionsOf(excluded) },
});

describe("a decision that is made again from its documents", () => {
  test("is the same, byte for byte, whatever the rules, facts, requests and measurements were", () => {
    let count = 0;
    fc.assert(
      fc.property(
        arbitraryEndpoints,
        arbitraryRules(6),
        fc.array(arbitraryRequests, { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.integer({ min: 0, max: 99 })),
        fc.constantFrom(null, "eu", "eu_adequate"),
        (endpoints, rules, all, numbers, defaultResidency) => {
          // Records are remembered for one index of rules.
          const index = new RuleIndex(rules);
          const router = routerOver(endpoints, rules, {
            ...unsteady(numbers),
            rules: () => index,
            defaultResidency,
            adequacyExclude: new Set(["JP"]),
          });
          // Twice, because records are remembered.
          for (const { ask, needs } of [...all, ...all]) {
            const { decisions } = router.route(ask, { subject, apis: ["completions", "chat"], today, needs });
            if (decisions.length === 0) continue;
            const again = recordAndReplay(decisions, {
              ...{ ask, subject, today, exchangeRate: rate },
              inputModalities: needs.inputModalities,
              outputModalities: needs.outputModalities,
            });
            expect(again.replayed.basis).toEqual(again.recorded.basis);
            expect(again.replayed.ranked).toEqual(again.recorded.ranked);
            expect(again.replayed.inputs).toEqual(again.recorded.inputs);
            // The reasons are complete, too. Only sizes are recorded no more exactly than they matter.
            if (decisions.every(({ inputs }) => inputs.size === null))
              expect(again.decisions.map(reasonsIn)).toEqual(decisions.map(reasonsIn));
            count++;
          }
        },
      ),
      { numRuns: 2_000 },
    );
    expect(count).toBeGreaterThan(2_500);
  });
});

interface Vector {
  readonly request: Omit<RecordedRequest, "exchangeRate"> & { readonly usdPerEur: string };
  /** Canonical JSON of the decision. */
  readonly decision: string;
}

interface Recorded {
  readonly vectors: readonly Vector[];
  /** What decisions refer to, as canonical JSON. */
  readonly documents: readonly string[];
}

const recordedPath = new URL(`../../../test/decisions/routing-${routingVersion}.json`, import.meta.url);

test("decisions that this version recorded once are still made in the same way: else raise `routingVersion` and run `node scripts/record-decisions.ts`", () => {
  const { vectors, documents } = JSON.parse(readFileSync(recordedPath, "utf8")) as Recorded;
  expect(vectors.length).toBeGreaterThan(40);
  const stored = new Map(documents.map((body) => [sha256Hex(body), { hash: sha256Hex(body), body }]));
  const find = (hash: string) => stored.get(hash);
  for (const { request, decision } of vectors) {
    const inputs = readRoutingInput(find, (JSON.parse(decision) as { inputs: string }).inputs);
    const exchangeRateThen = exchangeRate(request.usdPerEur, "2026-11-01", "");
    const { record } = replayDecision({ ...request, exchangeRate: exchangeRateThen }, inputs, {
      input: find,
      facts: find,
    });
    expect(record.basis.body).toBe(decision);
  }
});

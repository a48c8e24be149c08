// Records decisions of this version of routing, which later code must make in the same way:
// node --disable-warning=ExperimentalWarning scripts/record-decisions.ts
import { existsSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { exchangeRate } from "#server/platform/money.ts";
import { routingVersion } from "#server/policy/record-inputs.ts";
import { arbitraryEndpoints, arbitraryRules, routerOver, subject, today } from "#test/arbitrary-policies.ts";
import { arbitraryRequests, recordAndReplay } from "#test/replays.ts";

const path = new URL(`../test/decisions/routing-${routingVersion}.json`, import.meta.url);
if (existsSync(path)) {
  throw new Error(`Decisions of version ${routingVersion} are recorded. Raise \`routingVersion\` first`);
}

const usdPerEur = "1.1";
const worlds = fc.sample(fc.tuple(arbitraryEndpoints, arbitraryRules(4), arbitraryRequests), {
  seed: 1,
  numRuns: 65,
});
const documents = new Set<string>();
const vectors = worlds.flatMap(([endpoints, rules, { ask, needs }]) => {
  const { decisions } = routerOver(endpoints.slice(0, 3), rules).route(ask, {
    ...{ subject, apis: ["completions", "chat"], today, needs },
  });
  if (decisions.length === 0) return [];
  const { inputModalities, outputModalities } = needs;
  const asked = { ask, subject, today, inputModalities, outputModalities };
  const exchangeRateThen = exchangeRate(usdPerEur, "2026-11-01", "");
  const { recorded, ranked } = recordAndReplay(decisions, { ...asked, exchangeRate: exchangeRateThen });
  for (const { body } of [...recorded.inputs, ...recorded.facts]) documents.add(body);
  return [{ request: { ...asked, ranked, usdPerEur }, decision: recorded.basis.body }];
});
writeFileSync(path, `${JSON.stringify({ vectors, documents: [...documents] }, null, 1)}\n`);

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { arbitraryEndpoints, arbitraryRules, routerOver, subject, today } from "#test/arbitrary-policies.ts";
import { arbitraryRequests } from "#test/replays.ts";
import { exclusionsOf } from "./explain.ts";
import type { Router } from "./router.ts";
import { RuleIndex } from "./rule-index.ts";

/** Generating the worlds takes most of the time, and the machine may be busy. */
vi.setConfig({ testTimeout: 60_000 });

test("a router decides as one that has seen no other request, whatever it remembers", () => {
  const needs = fc.array(
    arbitraryRequests.map((request) => request.needs),
    { minLength: 2, maxLength: 6 },
  );
  fc.assert(
    fc.property(arbitraryEndpoints, arbitraryRules(3), needs, (endpoints, rules, all) => {
      // The same models and preferences, so that only what the requests need differs.
      const decided = (router: Router, one: (typeof all)[number]) =>
        router
          .route({ models: ["m/one", "m/two"] }, { subject, apis: ["chat"], today, needs: one })
          .decisions.map(({ ranked, excluded }) => [ranked.map(({ id }) => id), exclusionsOf(excluded)]);
      // What is remembered belongs to one index of rules.
      const index = new RuleIndex(rules);
      const shared = routerOver(endpoints, rules, { rules: () => index });
      for (const one of all) expect(decided(shared, one)).toEqual(decided(routerOver(endpoints, rules), one));
    }),
    { numRuns: 500 },
  );
});

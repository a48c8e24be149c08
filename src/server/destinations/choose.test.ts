import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sampleFacts, samplePayload } from "#test/destinations/sample.ts";
import { type ActiveDestination, chosen, contentFor, type Offer, sample } from "./choose.ts";

const destination = (overrides: Partial<ActiveDestination> = {}): ActiveDestination => ({
  id: "0190a000-0000-7000-8000-0000000000aa",
  orgId: "o",
  workspaceId: null,
  privacyMode: false,
  samplingRate: 1,
  keyIds: null,
  filterRules: null,
  residency: null,
  ...overrides,
});
const offer = (session: string | null, overrides: Partial<Offer> = {}): Offer => ({
  facts: sampleFacts({ session_id: session }),
  labels: samplePayload.labels,
  content: () => ({ input: [], output: [] }),
  mayKeepAt: () => true,
  ...overrides,
});

describe("sampling", () => {
  test.each([0.01, 0.1, 0.5, 0.9])(
    "samples a rate of %d of sessions, within four standard errors",
    (rate) => {
      const sessions = 20_000;
      const at = destination({ samplingRate: rate });
      let taken = 0;
      for (let session = 0; session < sessions; session++) if (chosen(at, offer(`s-${session}`))) taken++;
      const error = Math.sqrt((rate * (1 - rate)) / sessions);
      expect(Math.abs(taken / sessions - rate)).toBeLessThan(4 * error);
    },
  );

  test("samples all or nothing of a session, and at a higher rate everything of a lower one", () => {
    fc.assert(
      fc.property(fc.string(), fc.double({ min: 0, max: 1, noNaN: true }), (session, rate) => {
        const at = destination({ samplingRate: rate });
        const other = {
          ...offer(session),
          facts: sampleFacts({ session_id: session, id: "0190a000-0000-7000-8000-00000000ffff" }),
        };
        expect(chosen(at, offer(session))).toBe(chosen(at, other));
        if (chosen(at, offer(session)))
          expect(chosen(destination({ samplingRate: (1 + rate) / 2 }), other)).toBe(true);
      }),
    );
  });

  test("decides independently for each destination", () => {
    const both = Array.from({ length: 10_000 }, (_, at) => [
      sample("a", `${at}`) < 0.5,
      sample("b", `${at}`) < 0.5,
    ]);
    const alike = both.filter(([a, b]) => a === b).length / both.length;
    expect(Math.abs(alike - 0.5)).toBeLessThan(0.02);
  });
});

test.each([
  [{}, offer(null), "sent"],
  [{ privacyMode: true }, offer(null), "private"],
  [{ privacyMode: true }, offer(null, { mayKeepAt: () => false }), "residency"],
  [{ privacyMode: true }, offer(null, { content: null }), "none"],
  [{}, offer(null, { mayKeepAt: () => false }), "residency"],
  [{}, offer(null, { content: null }), "none"],
] as const)("the content decision for %o is correct (%#)", (which, given, content) => {
  expect(contentFor(destination(which), given)).toBe(content);
});

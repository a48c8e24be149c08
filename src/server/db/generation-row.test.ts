import fc from "fast-check";
import { expect, test } from "vitest";
import { type AttemptRecord, attemptColumns, attemptsOf } from "./generation-row.ts";

const served = { endpoint: "a:x", provider: "a" };
const attempt: fc.Arbitrary<AttemptRecord> = fc
  .record({
    place: fc.constantFrom(served, { endpoint: "b:x", provider: "b" }),
    outcome: fc.constantFrom("ok", "timeout"),
    status: fc.constantFrom(200, 201, 503, null),
    duration_ms: fc.nat(),
    more: fc.constantFrom<Partial<AttemptRecord>[]>(
      {},
      { api: "responses" },
      { service_tier: "flex" },
      { parameters: { dropped: ["seed"], translated: [], clamped: [] } },
    ),
  })
  .map(({ place, more, ...rest }) => ({ ...place, ...rest, ...more }));

test("the columns of any attempts are read back as the same attempts", () => {
  fc.assert(
    fc.property(fc.array(attempt, { maxLength: 3 }), fc.constantFrom(served, null), (attempts, at) => {
      const { endpoint, provider } = at ?? { endpoint: null, provider: null };
      const columns = JSON.parse(JSON.stringify(attemptColumns(attempts, endpoint)));
      expect(attemptsOf({ ...columns, endpoint, provider })).toEqual(attempts);
    }),
  );
});

test("one attempt that the serving endpoint answered takes one number", () => {
  const usual = { ...served, outcome: "ok", status: 200, duration_ms: 12 };
  expect(attemptColumns([usual], served.endpoint)).toEqual({ attempts: null, attempt_ms: 12 });
});

// npm run bench:budgets: what budgets add to the admission of one request, without the database.
import { BudgetIndex } from "#server/budgets/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { LeasedBudget } from "#server/platform/leased-budget.ts";

const rounds = 200_000;
const keys = Array.from({ length: 250 }, () => uuidv7());
const nowMs = Date.parse("2026-11-24T08:00:00Z");
const measures = ["eur", "tokens", "requests", "concurrency"] as const;

/** Four budgets for each of a number of keys: money, tokens, requests and parallel requests. */
function indexOf(count: number): BudgetIndex {
  return new BudgetIndex(
    Array.from({ length: count }, (_, at) => ({
      id: uuidv7(),
      orgId: "org",
      name: `Budget ${at}`,
      measure: measures[at % measures.length] ?? "eur",
      period: "day" as const,
      limit: 1_000_000n,
      dimensions: new Map([["key", keys[Math.floor(at / measures.length)] ?? ""]]),
    })),
  );
}

const subjectOf = (at: number) => ({
  orgId: "org",
  workspaceId: null,
  keyId: keys[at % keys.length] ?? "",
  userId: "person",
  endUser: null,
  tags: undefined,
  models: ["sandbox/chat"],
});

for (const count of [0, 4, 100, 1_000]) {
  const index = indexOf(count);
  const shares = new LeasedBudget();
  shares.grant(10n ** 18n);
  const run = () => {
    let matched = 0;
    const start = process.hrtime.bigint();
    for (let at = 0; at < rounds; at++) {
      const counters = index.match(subjectOf(at), nowMs);
      const holds = counters.map(() => shares.hold(100n));
      for (const hold of holds) hold.release(50n);
      matched += counters.length;
    }
    return {
      microseconds: Number(process.hrtime.bigint() - start) / 1_000 / rounds,
      matched: matched / rounds,
    };
  };
  run();
  const { microseconds, matched } = run();
  process.stdout.write(
    `${count} budgets: ${matched.toFixed(2)} matched, ${microseconds.toFixed(2)} µs per request\n`,
  );
}

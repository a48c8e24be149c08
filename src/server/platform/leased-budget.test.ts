import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BudgetHold, halfOf, LeasedBudget } from "./leased-budget.ts";

/** The other side: what was granted, used and leased, as conditional statements in a database keep it. */
class Bank {
  granted: bigint;
  used = 0n;
  leased = 0n;

  constructor(granted: bigint) {
    this.granted = granted;
  }

  free(): bigint {
    return this.granted - this.used - this.leased;
  }

  lease(minimum: bigint): bigint {
    if (this.free() < minimum || this.free() <= 0n) return 0n;
    this.leased += minimum;
    return minimum;
  }

  book(cost: bigint): bigint {
    const covered = cost < this.leased ? cost : this.leased;
    this.leased -= covered;
    this.used += cost;
    return covered;
  }
}

const share = (amount: bigint, percent: number): bigint => (amount * BigInt(percent)) / 100n;

const amount = fc.bigInt({ min: 1n, max: 1_000n });
const at = fc.nat({ max: 20 });
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("hold" as const), amount }) },
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant("release" as const), at, percent: fc.nat({ max: 900 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("void", "undo"), at }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("book" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("expire" as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("grant" as const), amount }) },
  ),
  { minLength: 100, maxLength: 100 },
);

describe("what one process may spend of a budget", () => {
  test("is all that is left and no more, over overruns, expired leases and grants: 0 false refusals in 50,000 steps", () => {
    let held = 0;
    let refused = 0;
    let overruns = 0;
    fc.assert(
      fc.property(steps, (life) => {
        const bank = new Bank(5_000n);
        const budget = new LeasedBudget();
        const holds: { hold: BudgetHold; reserved: boolean }[] = [];
        const unbooked: bigint[] = [];
        const reserved = () =>
          holds.reduce((sum, one) => sum + (one.reserved ? one.hold.reserved() : 0n), 0n);
        const spent = () => unbooked.reduce((sum, cost) => sum + cost, 0n);
        for (const step of life) {
          const pick = "at" in step ? holds[step.at % Math.max(1, holds.length)] : undefined;
          switch (step.kind) {
            case "hold": {
              const missing = step.amount - budget.available();
              const granted = missing > 0n ? bank.lease(missing) : 0n;
              budget.grant(granted);
              // All there is, but for what is promised to others and spent already.
              const really = bank.free() + bank.leased - reserved() - spent();
              if (budget.available() >= step.amount) {
                expect(step.amount).toBeLessThanOrEqual(really);
                holds.push({ hold: budget.hold(step.amount), reserved: true });
                held++;
              } else {
                expect(step.amount).toBeGreaterThan(really);
                refused++;
              }
              break;
            }
            case "release":
            case "void": {
              if (!pick) break;
              const cost = step.kind === "release" ? share(pick.hold.reserved(), step.percent) : 0n;
              if (cost > pick.hold.reserved()) overruns++;
              pick.hold.release(cost);
              pick.hold.release(cost + 1n);
              unbooked.push(cost);
              holds.splice(holds.indexOf(pick), 1);
              break;
            }
            case "undo": {
              if (!pick) break;
              pick.hold.release(7n);
              pick.hold.undo();
              pick.hold.undo();
              pick.hold.release(0n);
              holds.splice(holds.indexOf(pick), 1);
              break;
            }
            case "book":
              for (const cost of unbooked.splice(0)) budget.book(cost, bank.book(cost));
              break;
            case "expire":
              bank.leased = 0n;
              budget.expire();
              for (const one of holds) one.reserved = false;
              break;
            case "grant":
              bank.granted += step.amount;
          }
          expect(budget.available()).toBe(bank.leased - reserved() - spent());
        }
      }),
      { numRuns: 500 },
    );
    expect(held).toBeGreaterThan(2_000);
    expect(refused).toBeGreaterThan(500);
    expect(overruns).toBeGreaterThan(1_000);
  });

  test("is the complete balance again after an answer that cost far more than its hold", () => {
    const bank = new Bank(10_000n);
    const budget = new LeasedBudget();
    budget.grant(bank.lease(26n));
    const hold = budget.hold(26n);
    hold.release(8_010n);
    expect(budget.available()).toBe(-8_010n + 26n);
    budget.book(8_010n, bank.book(8_010n));
    expect(budget.available()).toBe(0n);
    expect(bank.lease(26n - budget.available())).toBe(26n);
  });
});

describe("a budget that several processes spend from at once", () => {
  const target = 50n;
  const amounts = fc.array(fc.bigInt({ min: 1n, max: 40n }), { minLength: 1, maxLength: 20 });

  test("is never exceeded, and no request is refused that this process could still pay for", async () => {
    let spentRuns = 0;
    let refusedRuns = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(amounts, { minLength: 3, maxLength: 3 }),
        async (s, lives) => {
          const total = 300n;
          let left = total;
          let spent = 0n;
          const processes = lives.map((wanted) => {
            const budget = new LeasedBudget();
            let asking = 0;
            const ask = (minimum: bigint) => async () => {
              expect(++asking, "one question at a time").toBe(1);
              await s.schedule(Promise.resolve());
              const missing = minimum - budget.available();
              const ahead = target - budget.available();
              const useful = missing > ahead ? missing : ahead;
              const granted = missing > left ? 0n : useful < left ? useful : left;
              left -= granted;
              await s.schedule(Promise.resolve());
              budget.grant(granted);
              asking--;
              return granted;
            };
            const request = async (amount: bigint) => {
              await s.schedule(Promise.resolve());
              while (budget.available() < amount) {
                if (await budget.refill(amount, ask(amount))) continue;
                expect(left + budget.available(), "refused though it was left").toBeLessThan(amount);
                refusedRuns++;
                return;
              }
              budget.spend(amount);
              spent += amount;
              spentRuns++;
              if (budget.isLow(halfOf(target))) void budget.refillAhead(ask(1n));
            };
            return { budget, work: wanted.map(request) };
          });
          await s.waitFor(Promise.all(processes.flatMap(({ work }) => work)));
          await s.waitFor(Promise.all(processes.map(({ budget }) => budget.refilling())));
          expect(spent).toBeLessThanOrEqual(total);
          const available = processes.reduce((sum, { budget }) => sum + budget.available(), 0n);
          expect(left + available + spent).toBe(total);
        },
      ),
      { numRuns: 200 },
    );
    expect(spentRuns).toBeGreaterThan(1_000);
    expect(refusedRuns).toBeGreaterThan(500);
  });

  test("is requested again if an early refill brought nothing", async () => {
    const budget = new LeasedBudget();
    const nothing = async () => 0n;
    void budget.refillAhead(nothing);
    expect(await budget.refill(5n, nothing)).toBe(true);
    expect(await budget.refill(5n, nothing)).toBe(false);
  });

  test("can be asked for again after the question failed", async () => {
    const budget = new LeasedBudget();
    const failed = async () => Promise.reject(new Error("unavailable"));
    await expect(budget.refill(5n, failed)).rejects.toThrow("unavailable");
    expect(budget.refilling()).toBeUndefined();
    const granted = async () => {
      budget.grant(5n);
      return 5n;
    };
    expect(await budget.refill(5n, granted)).toBe(true);
    expect(budget.available()).toBe(5n);
  });
});

test("less than half is low: of the target, or of the last grant where that was less", () => {
  const amount = fc.bigInt({ min: 0n, max: 20n });
  fc.assert(
    fc.property(amount, amount, amount, amount, (granted, spent, returned, target) => {
      const budget = new LeasedBudget();
      budget.grant(granted);
      let full = granted;
      if (returned > 0n) {
        budget.giveBack(returned);
        full -= returned;
      }
      budget.spend(spent);
      const twice = budget.available() * 2n;
      expect(budget.isLow(halfOf(target))).toBe(twice < target && twice < full);
    }),
  );
});

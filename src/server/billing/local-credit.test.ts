import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LocalCredit, type LocalHold } from "./local-credit.ts";

type Pico = bigint;

/** The database's side: what is granted, used and lent, as its conditional statements keep it. */
class Bank {
  granted: Pico;
  used: Pico = 0n;
  lease: Pico = 0n;

  constructor(granted: Pico) {
    this.granted = granted;
  }

  free(): Pico {
    return this.granted - this.used - this.lease;
  }

  lend(minimum: Pico): Pico {
    if (this.free() < minimum || this.free() <= 0n) return 0n;
    this.lease += minimum;
    return minimum;
  }

  book(cost: Pico): Pico {
    const covered = cost < this.lease ? cost : this.lease;
    this.lease -= covered;
    this.used += cost;
    return covered;
  }
}

const share = (amount: Pico, percent: number): Pico => (amount * BigInt(percent)) / 100n;

const amount = fc.bigInt({ min: 1n, max: 1_000n });
const at = fc.nat({ max: 20 });
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("hold" as const), amount }) },
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant("settle" as const), at, percent: fc.nat({ max: 900 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("void", "undo"), at }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("book" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("lose" as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("grant" as const), amount }) },
  ),
  { minLength: 100, maxLength: 100 },
);

describe("what one process may spend of an account", () => {
  test("is all that is there and no more, over overruns, lost leases and grants: 0 false refusals in 50,000 steps", () => {
    let held = 0;
    let refused = 0;
    let overruns = 0;
    fc.assert(
      fc.property(steps, (life) => {
        const bank = new Bank(5_000n);
        const credit = new LocalCredit();
        const holds: { hold: LocalHold; reserved: boolean }[] = [];
        const unbooked: Pico[] = [];
        const reserved = () => holds.reduce((sum, one) => sum + (one.reserved ? one.hold.amount() : 0n), 0n);
        const spent = () => unbooked.reduce((sum, cost) => sum + cost, 0n);
        for (const step of life) {
          const pick = "at" in step ? holds[step.at % Math.max(1, holds.length)] : undefined;
          switch (step.kind) {
            case "hold": {
              const missing = step.amount - credit.available();
              const lent = missing > 0n ? bank.lend(missing) : 0n;
              credit.lend(lent);
              // All there is, but for what is promised to others and spent already.
              const really = bank.free() + bank.lease - reserved() - spent();
              if (credit.available() >= step.amount) {
                expect(step.amount).toBeLessThanOrEqual(really);
                holds.push({ hold: credit.hold(step.amount), reserved: true });
                held++;
              } else {
                expect(step.amount).toBeGreaterThan(really);
                refused++;
              }
              break;
            }
            case "settle":
            case "void": {
              if (!pick) break;
              const cost = step.kind === "settle" ? share(pick.hold.amount(), step.percent) : 0n;
              if (cost > pick.hold.amount()) overruns++;
              pick.hold.settle(cost);
              pick.hold.settle(cost + 1n);
              unbooked.push(cost);
              holds.splice(holds.indexOf(pick), 1);
              break;
            }
            case "undo": {
              if (!pick) break;
              pick.hold.settle(7n);
              pick.hold.undo();
              pick.hold.undo();
              pick.hold.settle(0n);
              holds.splice(holds.indexOf(pick), 1);
              break;
            }
            case "book":
              for (const cost of unbooked.splice(0)) credit.book(cost, bank.book(cost));
              break;
            case "lose":
              bank.lease = 0n;
              credit.lose();
              for (const one of holds) one.reserved = false;
              break;
            case "grant":
              bank.granted += step.amount;
          }
          expect(credit.available()).toBe(bank.lease - reserved() - spent());
        }
      }),
      { numRuns: 500 },
    );
    expect(held).toBeGreaterThan(2_000);
    expect(refused).toBeGreaterThan(500);
    expect(overruns).toBeGreaterThan(1_000);
  });

  test("is the whole balance again after an answer that cost far more than was held for it", () => {
    const bank = new Bank(10_000n);
    const credit = new LocalCredit();
    credit.lend(bank.lend(26n));
    const hold = credit.hold(26n);
    hold.settle(8_010n);
    expect(credit.available()).toBe(-8_010n + 26n);
    credit.book(8_010n, bank.book(8_010n));
    expect(credit.available()).toBe(0n);
    expect(bank.lend(26n - credit.available())).toBe(26n);
  });
});

import { expect } from "vitest";
import type { RealLedger } from "./real-ledger.ts";

/** Every amount in pico-EUR. A generation's cost is known by its id until it is booked and after. */
type Costs = Map<string, bigint>;

export interface ModelHold {
  readonly id: string;
  readonly amount: bigint;
  /** What is charged when the process dies now. */
  progress: bigint;
}

export interface ModelProcess {
  /** Its leases were taken back while it was paused: what it holds since then is covered by none. */
  lost: ModelHold[];
  holds: ModelHold[];
  /** Ended, and in the spool only. */
  unbooked: Costs;
}

interface Dead {
  readonly unbooked: Costs;
  /** Its lease stands for at least so much. */
  readonly obliged: bigint;
  swept: boolean;
}

export const sum = (amounts: Iterable<bigint>): bigint => [...amounts].reduce((a, b) => a + b, 0n);
const add = (to: Costs, costs: Costs) => {
  for (const [id, cost] of costs) to.set(id, cost);
};

/** What the ledger must say: plain sums, without leases, spools or a database. */
export class ModelLedger {
  granted: bigint;
  readonly stepsMax: number;
  refunded = 0n;
  /** Booked off no lease, because the spender's lease had been taken back: only this may be overspent. */
  uncovered = 0n;
  /** Spent beyond what was held: the balance may fall below zero by so much. */
  overrun = 0n;
  readonly booked: Costs = new Map();
  readonly refunds = new Set<string>();
  readonly processes = new Map<number, ModelProcess>();
  dead: Dead[] = [];
  /** The steps that were taken, in order. */
  readonly done: string[] = [];

  constructor(granted: bigint, stepsMax: number) {
    this.granted = granted;
    this.stepsMax = stepsMax;
  }

  get used(): bigint {
    return sum(this.booked.values()) - this.refunded;
  }

  /** Held for requests under way, or spent and not booked, by living processes and under leases still in place. */
  get obliged(): bigint {
    const living = [...this.processes.values()].map((one) => this.obligedBy(one));
    return sum(living) + sum(this.dead.filter(({ swept }) => !swept).map(({ obliged }) => obliged));
  }

  obligedBy({ holds, unbooked }: Pick<ModelProcess, "holds" | "unbooked">): bigint {
    return sum(holds.map(({ amount }) => amount)) + sum(unbooked.values());
  }

  process(at: number): ModelProcess {
    const process = this.processes.get(at) ?? { holds: [], lost: [], unbooked: new Map() };
    this.processes.set(at, process);
    return process;
  }

  book(costs: Costs): void {
    add(this.booked, costs);
    costs.clear();
  }

  crash(at: number): void {
    const { holds, lost, unbooked } = this.process(at);
    const obliged = this.obligedBy({ holds, unbooked });
    for (const { id, progress } of [...lost, ...holds]) unbooked.set(id, progress);
    this.uncovered += sum(lost.map(({ progress }) => progress));
    this.dead.push({ unbooked, obliged, swept: false });
    this.processes.delete(at);
  }

  replay(): void {
    for (const { unbooked, swept } of this.dead) {
      if (swept) this.uncovered += sum(unbooked.values());
      this.book(unbooked);
    }
    this.dead = [];
  }
}

/** Compares the complete database with the model, at one moment. */
export async function agree(model: ModelLedger, real: RealLedger): Promise<void> {
  const { granted, used, credits, leased, openLeases, generations, generationCount } = await real.read();
  expect({ granted, used, credits, generations, generationCount }).toEqual({
    granted: model.granted,
    used: model.used,
    credits: model.granted - model.used,
    generations: sum(model.booked.values()),
    generationCount: model.booked.size,
  });
  expect(leased).toBe(openLeases);
  const beyond = model.uncovered + model.overrun;
  expect(leased, "what is promised is covered by leases").toBeGreaterThanOrEqual(model.obliged - beyond);
  expect(granted - used - leased, "free").toBeGreaterThanOrEqual(-beyond);
}

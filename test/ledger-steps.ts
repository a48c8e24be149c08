import fc from "fast-check";
import { expect } from "vitest";
import { agree, type ModelHold, type ModelLedger, type ModelProcess, sum } from "./ledger-model.ts";
import type { RealLedger } from "./real-ledger.ts";

type Command = fc.AsyncCommand<ModelLedger, RealLedger>;

/** A step: `run` names what happened; afterwards everything must agree. */
const step = (
  name: string,
  check: (model: ModelLedger) => boolean,
  run: (model: ModelLedger, real: RealLedger) => Promise<string>,
): Command => ({
  check: (model) => model.done.length < model.stepsMax && check(model),
  async run(model, real) {
    model.done.push(await run(model, real));
    await agree(model, real);
  },
  toString: () => name,
});

const holdsOf = ({ lost, holds }: ModelProcess): ModelHold[] => [...lost, ...holds];

async function take(model: ModelLedger, real: RealLedger, amount: bigint): Promise<string> {
  const before = await real.free();
  if (await real.take(amount)) {
    expect(amount).toBeLessThanOrEqual(before);
    model.granted -= amount;
    return "take";
  }
  // Processes lease ahead in the background: what is free only falls meanwhile.
  expect(amount).toBeGreaterThan(await real.free());
  return "kept";
}

async function hold(model: ModelLedger, real: RealLedger, at: number, amount: bigint): Promise<string> {
  const process = model.process(at);
  const id = await real.hold(at, amount);
  // Before it refuses for good a process books what it has spent.
  const open = holdsOf(process).length + (id === null ? 0 : 1);
  if ((await real.pending(at)) === open) model.book(process.unbooked);
  if (id === null) {
    const { free, lease } = await real.within(at);
    const reachable = free + lease - model.obligedBy(process);
    expect(amount, "refused though it was there").toBeGreaterThan(reachable);
    return "refused";
  }
  expect(model.used + model.obliged + amount, "held more than there is").toBeLessThanOrEqual(
    model.granted + model.uncovered + model.overrun,
  );
  process.holds.push({ id, amount, progress: 0n });
  return "hold";
}

const share = (amount: bigint, percent: number): bigint => (amount * BigInt(percent)) / 100n;
const someHold = (model: ModelLedger, at: number) => {
  const process = model.processes.get(at);
  return process !== undefined && holdsOf(process).length > 0;
};

async function end(
  model: ModelLedger,
  real: RealLedger,
  at: number,
  percent: number | null,
): Promise<string> {
  const process = model.process(at);
  const lost = process.lost.shift();
  const ended = lost ?? process.holds.shift();
  if (!ended) throw new Error("There is no hold");
  const cost = percent === null ? 0n : share(ended.amount, percent);
  if (lost) model.uncovered += cost;
  else if (cost > ended.amount) model.overrun += cost - ended.amount;
  await real.finish(at, ended.id, percent === null ? "failed" : "completed", cost);
  process.unbooked.set(ended.id, cost);
  if (percent === null) return "void";
  return cost > ended.amount ? "overrun" : "finish";
}

async function refund(model: ModelLedger, real: RealLedger, pick: number): Promise<string> {
  const charges = [...model.booked].filter(([, cost]) => cost > 0n);
  const [id = "", cost = 0n] = charges[pick % charges.length] ?? [];
  const given = await real.refund(id);
  expect(given, "given back once").toBe(!model.refunds.has(id));
  if (given) model.refunded += cost;
  model.refunds.add(id);
  return "refund";
}

/** Few figures, so that amounts meet: the smallest, such that add up to the credit, and too large ones. */
const amounts = fc.oneof(
  fc.constantFrom(1n, 10_000_000_000n, 50_000_000_000n, 1_000_000_000_000n),
  fc.bigInt({ min: 1n, max: 400_000_000_000n }),
);
const places = fc.constantFrom(0, 1, 2);
const percents = fc.integer({ min: 0, max: 100 });
/** Some answers cost far more than was held for them. */
const costs = fc.oneof({ weight: 4, arbitrary: percents }, fc.integer({ min: 101, max: 900 }));

const commands: fc.Arbitrary<Command>[] = [
  amounts.map((amount) =>
    step(
      `top-up(${amount})`,
      () => true,
      async (model, real) => {
        await real.grant(amount);
        model.granted += amount;
        return "top-up";
      },
    ),
  ),
  amounts.map((amount) =>
    step(
      `take(${amount})`,
      (model) => model.granted > model.used,
      (model, real) => take(model, real, amount),
    ),
  ),
  ...Array.from({ length: 4 }, () =>
    fc.tuple(places, amounts).map(([at, amount]) =>
      step(
        `hold(${at}, ${amount})`,
        () => true,
        (model, real) => hold(model, real, at, amount),
      ),
    ),
  ),
  ...Array.from({ length: 2 }, () =>
    fc.tuple(places, costs).map(([at, percent]) =>
      step(
        `finish(${at}, ${percent} %)`,
        (model) => someHold(model, at),
        (model, real) => end(model, real, at, percent),
      ),
    ),
  ),
  places.map((at) =>
    step(
      `void(${at})`,
      (model) => someHold(model, at),
      (model, real) => end(model, real, at, null),
    ),
  ),
  fc.tuple(places, percents).map(([at, percent]) =>
    step(
      `progress(${at}, ${percent} %)`,
      (model) => someHold(model, at),
      async (model, real) => {
        const held = holdsOf(model.process(at))[0];
        if (!held) throw new Error("There is no hold");
        held.progress = share(held.amount, percent);
        await real.progress(at, held.id, held.progress);
        return "progress";
      },
    ),
  ),
  places.map((at) =>
    step(
      `book(${at})`,
      (model) => model.processes.has(at),
      async (model, real) => {
        await real.book(at);
        model.book(model.process(at).unbooked);
        return "book";
      },
    ),
  ),
  places.map((at) =>
    step(
      `crash(${at})`,
      (model) => model.processes.has(at),
      async (model, real) => {
        real.crash(at);
        model.crash(at);
        return "crash";
      },
    ),
  ),
  places.map((at) =>
    step(
      `stop(${at})`,
      (model) => model.processes.has(at) && !someHold(model, at),
      async (model, real) => {
        await real.stop(at);
        model.book(model.process(at).unbooked);
        model.processes.delete(at);
        return "stop";
      },
    ),
  ),
  ...Array.from({ length: 3 }, () =>
    fc.constant(
      step(
        "expire",
        (model) => model.dead.some(({ swept }) => !swept),
        async (model, real) => {
          await real.expireDead();
          for (const one of model.dead) one.swept = true;
          return "expire";
        },
      ),
    ),
  ),
  places.map((at) =>
    step(
      `pause(${at})`,
      (model) => model.processes.has(at),
      async (model, real) => {
        await real.takeLeasesOf(at);
        const process = model.process(at);
        model.uncovered += sum(process.unbooked.values());
        process.lost.push(...process.holds.splice(0));
        return "pause";
      },
    ),
  ),
  fc.constant(
    step(
      "replay",
      (model) => model.dead.length > 0,
      async (model, real) => {
        await real.replay();
        model.replay();
        return "replay";
      },
    ),
  ),
  fc.constant(
    step(
      "again",
      (model) => model.done.includes("replay"),
      async (_, real) => {
        await real.replayAgain();
        return "again";
      },
    ),
  ),
  fc.nat().map((pick) =>
    step(
      `refund(${pick})`,
      (model) => [...model.booked.values()].some((cost) => cost > 0n),
      (model, real) => refund(model, real, pick),
    ),
  ),
];

/** Lives of that many steps: more are drawn, because some find nothing to do. */
export const lives = (steps: number) =>
  fc.array(fc.oneof(...commands), { minLength: 3 * steps, maxLength: 3 * steps, size: "max" });

/** Ends everything: all leases come back, and what the dead may still try changes nothing. */
export async function endAll(model: ModelLedger, real: RealLedger): Promise<void> {
  for (const at of model.processes.keys()) while (someHold(model, at)) await end(model, real, at, null);
  for (const [at, { unbooked }] of model.processes) {
    await real.stop(at);
    model.book(unbooked);
    model.processes.delete(at);
  }
  await real.replay();
  model.replay();
  // What leases no longer covered is a debt: the auditor counts it until it is paid.
  const debt = model.used - model.granted;
  if (debt > 0n) {
    await real.grant(debt);
    model.granted += debt;
  }
  await agree(model, real);
  await real.close();
  await agree(model, real);
  expect((await real.read()).leased).toBe(0n);
}

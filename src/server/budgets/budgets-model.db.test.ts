import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { BudgetMeasure } from "#contract/budget.ts";
import {
  auditMoney,
  type Billing,
  countedBy,
  countersText,
  type Hold,
  openBilling,
} from "#server/billing/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { directoryOfFile } from "#test/directories.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import type { BudgetCounter } from "./budget-counter.ts";
import { loadBudgetIndex } from "./budget-rows.ts";

/** `npm run test:budgets` runs 10,000 steps. */
const steps = Number(process.env.BUDGET_STEPS ?? 400);
const stepsPerBudget = 50;
const limit = 1_000n;

const { database, another } = await openTestDatabase();
const root = directoryOfFile();
const databases = [database, another(), another()];
const organisation = await createOrganisation(database, { creditEur: "1000" });
const processes: Billing[] = await Promise.all(
  databases.map((each, at) =>
    openBilling(each, { spoolDirectory: `${root}/${at}`, sync: "process" }, silentLog, createMetrics()),
  ),
);
afterAll(async () => {
  await Promise.all(processes.map((billing) => billing.close()));
  const findings = await auditMoney(database, { quiescent: true });
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([]);
});

const subject = {
  orgId: organisation.orgId,
  workspaceId: null,
  keyId: organisation.keyId,
  userId: organisation.userId,
  endUser: "somebody",
  tags: { "metadata.team": "research" },
  models: ["sandbox/chat"],
};

/** What the budgets of the runs count by, in turn. */
const dimensionsInTurn = [
  [{ dimension: "end_user", value: null }],
  [{ dimension: "metadata.team", value: "research" }],
  [
    { dimension: "key", value: organisation.keyId },
    { dimension: "metadata.team", value: null },
  ],
  [
    { dimension: "metadata.team", value: "research" },
    { dimension: "end_user", value: null },
  ],
];

/** A new budget without requests. */
async function newCounter(measure: BudgetMeasure, run: number): Promise<BudgetCounter> {
  const { id } = await database.prisma.budget.create({
    data: {
      org_id: organisation.orgId,
      name: uuidv7(),
      measure,
      amount: limit.toString(),
      period: measure === "concurrency" ? "none" : "total",
      dimensions: dimensionsInTurn[run % dimensionsInTurn.length] ?? [],
    },
  });
  const index = await loadBudgetIndex(database.prisma, () => {});
  const counter = index.match(subject, clock.nowMs()).counters.find(({ budget }) => budget.id === id);
  if (!counter) throw new Error("The new budget is not found");
  return counter;
}

interface Held {
  readonly at: number;
  readonly hold: Hold;
  readonly amount: bigint;
}

/** Asks one process; null if it refuses. */
async function ask(counter: BudgetCounter, at: number, amount: bigint): Promise<Held | null> {
  const billing = processes[at] as Billing;
  const amounts = { eur: amount, usd: amount, tokens: amount, requests: amount, concurrency: amount };
  try {
    const [hold] = await billing.holdCounters([counter], amounts, amounts);
    return hold ? { at, hold, amount } : null;
  } catch (error) {
    if (error instanceof AppError && ["INSUFFICIENT_QUOTA", "RATE_LIMIT_EXCEEDED"].includes(error.code))
      return null;
    throw error;
  }
}

/** The row of a generation that used this much of what it held. */
function rowOf(counter: BudgetCounter, used: bigint) {
  const { measure } = counter.budget;
  const cost = measure === "eur" || measure === "usd" ? used.toString() : "0";
  return generationRow(organisation, "0", {
    cost_pico_eur: cost,
    cost_pico_usd: cost,
    prompt_tokens: measure === "tokens" ? Number(used) : 0,
    completion_tokens: 0,
    started_at: isoTime(clock.nowMs()),
    budget_counters: countersText([counter]),
  });
}

/** Ends a request. Returns what it used. */
async function end(counter: BudgetCounter, { at, hold, amount }: Held, part: number): Promise<bigint> {
  const row = rowOf(counter, (amount * BigInt(part)) / 100n);
  const used = countedBy(counter, [row]);
  hold.release(used);
  await (processes[at] as Billing).finish(row);
  return used;
}

/** Requests and slots are counted one by one, so they get large numbers of requests together. */
const unitOf: Record<BudgetMeasure, bigint> = { eur: 0n, usd: 0n, tokens: 0n, requests: 1n, concurrency: 1n };

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("ask" as const),
      at: fc.nat(2),
      amount: fc.integer({ min: 1, max: 400 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("end" as const), which: fc.nat(), part: fc.nat(100) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("burst" as const),
      each: fc.integer({ min: 1, max: 120 }),
      count: fc.integer({ min: 2, max: 12 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("book" as const), at: fc.nat(2) }) },
);

test(`${steps} random steps of three processes: nothing over a budget by whatever dimensions, and no refusal while enough is left`, {
  timeout: 60_000 + steps * 1_000,
}, async () => {
  const done = { admitted: 0, refused: 0, ended: 0, booked: 0 };
  const measures: readonly BudgetMeasure[] = ["eur", "tokens", "requests", "concurrency", "usd"];
  const seed = Number(process.env.BUDGET_SEED ?? 20_261_124);
  for (let run = 0; run * stepsPerBudget < steps; run++) {
    const measure = measures[run % measures.length] as BudgetMeasure;
    const counter = await newCounter(measure, run);
    const unit = unitOf[measure];
    let used = 0n;
    let held: Held[] = [];
    const left = () => limit - used - held.reduce((sum, { amount }) => sum + amount, 0n);
    const commands = fc.sample(step, { numRuns: stepsPerBudget, seed: seed + run });
    // Small limits are reached with requests of one: most of the budget is held at first.
    if (unit > 0n) {
      const first = await Promise.all(Array.from({ length: 990 }, (_, at) => ask(counter, at % 3, 1n)));
      held = first.flatMap((one) => one ?? []);
      expect(held.length, `${measure}: the first 990 of 1,000`).toBe(990);
    }
    for (const [at, command] of commands.entries()) {
      const place = `${measure}, run ${run}, step ${at}, ${JSON.stringify(command)}`;
      if (command.kind === "ask") {
        const amount = unit || BigInt(command.amount);
        const expected = left() >= amount;
        const admitted = await ask(counter, command.at, amount);
        expect(admitted !== null, place).toBe(expected);
        if (admitted) held.push(admitted);
        done[admitted ? "admitted" : "refused"]++;
      } else if (command.kind === "burst") {
        const each = unit || BigInt(command.each);
        const fitting = Number(left() / each);
        const answers = await Promise.all(
          Array.from({ length: command.count }, (_, one) => ask(counter, one % 3, each)),
        );
        const admitted = answers.flatMap((one) => one ?? []);
        expect(admitted.length, place).toBe(Math.min(fitting, command.count));
        held.push(...admitted);
        done.admitted += admitted.length;
        done.refused += command.count - admitted.length;
      } else if (command.kind === "end" && held.length > 0) {
        const [one] = held.splice(command.which % held.length, 1) as [Held];
        used += await end(counter, one, command.part);
        done.ended++;
      } else if (command.kind === "book") {
        await (processes[command.at] as Billing).drain();
        done.booked++;
      }
    }
    for (const one of held) used += await end(counter, one, 50);
    await Promise.all(processes.map((billing) => billing.drain()));
    const account = await database.prisma.credit_balance.findUniqueOrThrow({
      where: { account_id: counter.accountId },
    });
    expect(BigInt(account.used_pico_eur.toFixed(0)), `${measure}, run ${run}`).toBe(used);
    expect(used).toBeLessThanOrEqual(limit);
  }
  for (const [name, count] of Object.entries(done)) expect(count, name).toBeGreaterThan(0);
  process.stdout.write(`${steps} steps: ${JSON.stringify(done)}; overspent 0, refused in error 0\n`);
});

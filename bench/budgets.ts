// npm run bench:budgets: CPU time of this thread per request from admission to booking, with and without budgets.
// Everything is as in the server except HTTP, the provider's answer and the threads of others. Rounds alternate.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { noUsage, openBilling, type Usage } from "#server/billing/index.ts";
import { BudgetIndex } from "#server/budgets/index.ts";
import type { IndexedBudget } from "#server/budgets/indexed-budget.ts";
import { completions } from "#server/inference/operations/completions/operation.ts";
import { admit } from "#server/inference/pipeline/admit.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { endpoint, model, price, provider } from "#test/catalogues.ts";
import { inferenceOver, keyCaller } from "#test/inference.ts";
import { openFreshDatabase } from "./fresh-database.ts";

const { values } = parseArgs({
  options: { requests: { type: "string", default: "640" }, rounds: { type: "string", default: "100" } },
});
const [requests, rounds] = [Number(values.requests), Number(values.rounds)];
const together = 32;
const warmUps = 10;

const measures = ["eur", "tokens", "requests", "concurrency"] as const;

/** Budgets of an organisation, of which `matching` count every request. */
const budgetsOf = (orgId: string, count: number, matching: number): IndexedBudget[] =>
  Array.from({ length: count }, (_, at) => {
    const measure = measures[at % measures.length] ?? "eur";
    return {
      id: uuidv7(),
      orgId,
      name: `Budget ${at}`,
      measure,
      period: measure === "concurrency" ? ("none" as const) : ("month" as const),
      limit: measure === "eur" ? 10n ** 21n : 10n ** 9n,
      dimensions: new Map(at < matching ? [] : [["end_user", `user-${at}`]]),
    };
  });

const fresh = await openFreshDatabase();
const spoolDirectory = mkdtempSync(join(tmpdir(), "portolan-bench-budgets-"));
try {
  const { database, orgId, userId } = fresh;
  const { id: keyId } = await database.prisma.api_key.findFirstOrThrow({ where: { org_id: orgId } });
  await database.prisma.credit_balance.updateMany({ data: { granted_pico_eur: "1000000000000000000" } });
  const billing = await openBilling(
    database,
    { spoolDirectory, sync: "process" },
    silentLog,
    createMetrics(),
  );
  const one = endpoint(provider("bench"), model("bench/echo"), { price: price("0.001") });
  // Nothing is sent to a provider.
  const outbound = new Outbound(allowedHosts([]));
  const { deps } = inferenceOver([one], () => null, outbound);
  let index = new BudgetIndex([]);
  const ours = { ...deps, billing, budgets: () => index };
  const caller = { ...keyCaller, orgId, userId, keyId, workspaceId: null };
  const request = { model: "bench/echo", prompt: "Hello.", max_tokens: 16 };
  const signal = new AbortController().signal;
  const usage: Usage = { ...noUsage, uncached: 2, completion: 16 };

  async function ask(): Promise<void> {
    const call = { requestId: uuidv7(), appTitle: null, signal };
    const { generation, hold, candidates } = await admit(ours, caller, completions, request, call);
    for (const candidate of candidates) generation.trying(candidate);
    const row = generation.row({ status: "completed", httpStatus: 200, usage });
    hold.release(row);
    await billing.finish(row);
  }

  async function round(): Promise<number> {
    const before = process.threadCpuUsage();
    for (let at = 0; at < requests; at += together) await Promise.all(Array.from({ length: together }, ask));
    await billing.drain();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / (Math.ceil(requests / together) * together);
  }

  const store = async (budgets: readonly IndexedBudget[]): Promise<BudgetIndex> => {
    await database.prisma.budget.createMany({
      data: budgets.map(({ id, name, measure, period, limit, dimensions }) => ({
        ...{ id, org_id: orgId, name: `${name} ${id}`, measure, period, amount: limit.toString() },
        dimensions: [...dimensions].map(([dimension, value]) => ({ dimension, value })),
      })),
    });
    return new BudgetIndex(budgets);
  };
  const scenarios: Record<string, BudgetIndex> = {
    "no budgets": new BudgetIndex([]),
    "1,000 budgets, none counts": await store(budgetsOf(orgId, 1_000, 0)),
    "1,000 budgets, one counts": await store(budgetsOf(orgId, 1_000, 1)),
    "1,000 budgets, four count": await store(budgetsOf(orgId, 1_000, 4)),
  };
  const names = Object.keys(scenarios);
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let at = -warmUps; at < rounds; at++)
    for (let place = 0; place < names.length; place++) {
      // Another one begins each round, so that none always follows the same one.
      const name = names[(place + at + warmUps) % names.length] ?? "";
      index = scenarios[name] ?? index;
      const us = await round();
      if (at >= 0) times.get(name)?.push(us);
    }
  const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
  const [bases = []] = times.values();
  for (const [name, all] of times) {
    const more = median(all.map((us, at) => us - (bases[at] ?? 0)));
    process.stdout.write(
      `${name}: ${median(all).toFixed(1)} µs per request, ${more.toFixed(2)} more than without\n`,
    );
  }
  await billing.close();
  await outbound.close();
} finally {
  await fresh.close();
  rmSync(spoolDirectory, { recursive: true, force: true });
}

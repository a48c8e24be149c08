import { bookGenerations } from "#server/billing/book-generations.ts";
import { type GenerationRow, readBalance } from "#server/billing/index.ts";
import { type Database, openDatabase, receipted } from "#server/db/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics, type Metrics } from "#server/platform/metrics.ts";
import { logGenerations } from "#server/transparency/index.ts";
import type { Cluster } from "#test/setup/postgres-cluster.ts";
import { cpuMs } from "./process-facts.ts";

/** Generations of one flush: at four flushes a second, of 4 to 4,000 requests a second. */
const batchSizes = [1, 10, 100, 1_000];
const generationsEach = 20_000;
const batchesMax = 500;

const exact = ["cost_pico_usd", "cost_pico_eur", "upstream_pico_usd", "fx_usd_per_eur"] as const;

/** A generation as a client's request leaves one, made new by `id`. */
async function templateOf(database: Database): Promise<GenerationRow> {
  const [found] = await database.prisma.$queryRaw<{ row: GenerationRow }[]>`
    select to_jsonb(generation) - 'personal_salt' - 'personal_hash' || jsonb_build_object('started_at', now()) as row
    from generation where status = 'completed' limit 1`;
  if (!found) throw new Error("There is no generation to book again");
  const texts = exact.map((name) => [name, String(found.row[name])]);
  return { ...found.row, ...Object.fromEntries(texts) };
}

async function statementsOf({ statements }: Metrics): Promise<number> {
  const { values } = await statements.get();
  return values.reduce((sum, { value }) => sum + value, 0);
}

/** What one booked generation costs: statements, and µs of CPU here and in PostgreSQL. */
export async function measureBooking(cluster: Cluster): Promise<void> {
  const metrics = createMetrics();
  // Its connections must not come and go: what a backend used is gone with it.
  const database = openDatabase({ ...cluster.server, idleTimeoutMillis: 0 }, metrics, silentLog);
  const postgresMs = () => cpuMs(cluster.pid()).all;
  const template = await templateOf(database);
  const instanceId = uuidv7();
  const before = await readBalance(database, template.org_id);
  let booked = 0;
  for (const size of batchSizes) {
    const batches = Math.min(batchesMax, generationsEach / size);
    const make = () => {
      const row = { ...template, id: uuidv7() };
      return { instanceId, row, ...receipted(row) };
    };
    const work = Array.from({ length: batches + 5 }, () => Array.from({ length: size }, make));
    for (const batch of work.splice(0, 5))
      await bookGenerations(database, batch, { logReceipts: logGenerations });
    const [own, theirs, sent] = [process.cpuUsage(), postgresMs(), await statementsOf(metrics)];
    const sinceMs = performance.now();
    for (const batch of work) await bookGenerations(database, batch, { logReceipts: logGenerations });
    const { user, system } = process.cpuUsage(own);
    const count = batches * size;
    booked += count + 5 * size;
    const perGeneration = (amount: number) => (amount / count).toFixed(amount / count < 10 ? 2 : 0);
    console.log(
      `${size} at once: ${perGeneration((await statementsOf(metrics)) - sent)} statements a generation, ` +
        `${perGeneration(user + system)} µs of CPU here, ` +
        `${perGeneration((postgresMs() - theirs) * 1000)} µs in PostgreSQL, ` +
        `${perGeneration((performance.now() - sinceMs) * 1000)} µs in time`,
    );
  }
  const { used } = await readBalance(database, template.org_id);
  const expected = before.used + BigInt(template.cost_pico_eur) * BigInt(booked);
  if (used !== expected) throw new Error(`The balance says ${used}, not ${expected}`);
  await database.close();
}

import { clock, shiftClock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import type { Database } from "./client.ts";

const { clockSamples, clockToleranceMs, clockWarnMs, clockEveryMs } = limits.database;

interface Measured {
  /** What is added to the machine's time to get the database's. */
  readonly offsetMs: number;
  /** How much the offset may be wrong: half of the time the answer took. */
  readonly uncertainMs: number;
}

async function measureOnce({ statement }: Pick<Database, "statement">): Promise<Measured> {
  const askedMs = clock.monotonicMs();
  const [row] = await statement<{ ms: number }>(
    "select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms",
    [],
  );
  const uncertainMs = (clock.monotonicMs() - askedMs) / 2;
  if (!row) throw new Error("The database did not return its time");
  return { offsetMs: row.ms - (clock.machineMs() - uncertainMs), uncertainMs };
}

/** The fastest of several answers, because it is the most precise. */
async function measure(database: Pick<Database, "statement">): Promise<Measured> {
  let best = await measureOnce(database);
  for (let sample = 1; sample < clockSamples; sample++) {
    const next = await measureOnce(database);
    if (next.uncertainMs < best.uncertainMs) best = next;
  }
  return best;
}

/**
 * Sets `clock` to the database's time, now and every minute, so that the expiry of keys and the times of records are
 * the same in every process and statement. Returns how to stop.
 */
export async function followDatabaseClock(
  database: Pick<Database, "statement">,
  log: Log,
): Promise<() => void> {
  let usedMs = 0;
  let isWrong = false;

  async function follow(): Promise<void> {
    const { offsetMs, uncertainMs } = await measure(database);
    if (Math.abs(offsetMs - usedMs) > uncertainMs + clockToleranceMs) {
      usedMs = Math.round(offsetMs);
      shiftClock(usedMs);
    }
    const wasWrong = isWrong;
    isWrong = Math.abs(offsetMs) > clockWarnMs;
    if (!isWrong || wasWrong) return;
    const seconds = (Math.abs(offsetMs) / 1000).toFixed(1);
    const side = offsetMs > 0 ? "behind" : "ahead of";
    log.warn(
      { event: "clock", duration_ms: Math.round(offsetMs) },
      `The clock of this machine is ${seconds} s ${side} the database's, which counts; keep both synchronised`,
    );
  }

  await follow();
  const timer = setInterval(() => {
    follow().catch((error: unknown) =>
      log.debug({ event: "clock", error }, "The database could not be asked for its time"),
    );
  }, clockEveryMs).unref();
  return () => clearInterval(timer);
}

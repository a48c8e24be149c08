import { clock } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import { unavailableIn } from "#server/platform/unavailable.ts";
import type { Database } from "./client.ts";
import { asInteractive, currentWaiting, inBackground, waitInTime } from "./waiting.ts";

const { behindMaxMs, checkEveryMs, readBudgetMs } = limits.database.replica;

/**
 * Reads that need not see the latest changes, such as reports. `work` only reads; it may run twice. Throws what `work`
 * throws.
 */
export type ReadReports = <T>(work: (database: Database) => Promise<T>) => Promise<T>;

/** Without a replica. */
export const readingFrom =
  (primary: Database): ReadReports =>
  (work) =>
    work(primary);

/** Every process writes heartbeats to the primary, so the latest one says how far a replica is behind. */
const behindStatement = `
  select extract(epoch from clock_timestamp() - max(beat_at)) * 1000 as behind_ms from instance_heartbeat`;

interface ReplicaOptions {
  readonly primary: Database;
  readonly replica: Database;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "replicaInUse">;
}

/** A replica that follows the primary. Reports are read from it while it is at most `behindMaxMs` behind. */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly #timer: NodeJS.Timeout;
  /** Why it is not used; null if it is. */
  #problem: string | null = "it was not asked yet";
  #checking: Promise<void> | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.check(), checkEveryMs).unref();
  }

  readonly read: ReadReports = async (work) => {
    const { primary, replica } = this.#options;
    if (this.#problem !== null) return work(primary);
    try {
      // A budget of its own: what the replica takes too long for is read from the primary.
      const options = { renews: true, budgetMs: readBudgetMs };
      return await asInteractive(currentWaiting()?.holder ?? "", () => work(replica), options);
    } catch (error) {
      // What the replica does not have yet, or cannot answer, the primary can.
      const isMissing = error instanceof AppError && error.code === "NOT_FOUND";
      if (!isMissing && unavailableIn(error) === null) throw error;
      if (!isMissing) void this.check();
      return work(primary);
    }
  };

  /** Asks the replica how far it is behind. Never rejects. */
  check(): Promise<void> {
    this.#checking ??= inBackground(() => this.#check()).finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#checking;
    await this.#options.replica.close();
  }

  async #check(): Promise<void> {
    const { replica } = this.#options;
    const sentMs = clock.monotonicMs();
    try {
      const asked = replica.statement<{ behind_ms: string | null }>(behindStatement, []);
      const [row] = await waitInTime(asked);
      const behindMs = row?.behind_ms == null ? null : Number(row.behind_ms) - (clock.monotonicMs() - sentMs);
      if (behindMs === null) this.#found("it has no heartbeat of this installation");
      else if (behindMs <= behindMaxMs) this.#found(null);
      else this.#found(`it is ${Math.round(behindMs / 1000)} s behind`);
    } catch (error) {
      this.#found(error instanceof Error ? error.message : "it does not answer");
    }
  }

  #found(problem: string | null): void {
    const was = this.#problem;
    this.#problem = problem;
    const { log, metrics } = this.#options;
    metrics.replicaInUse.set(problem === null ? 1 : 0);
    if (problem === null && was !== null) log.info({ event: "replica" }, "Reports are read from the replica");
    if (problem !== null && was === null)
      log.warn({ event: "replica", reason: problem }, "Reports are read from the primary database");
  }
}

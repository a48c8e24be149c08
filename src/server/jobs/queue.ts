import type pg from "pg";
import { type Job, type JobResult, PgBoss } from "pg-boss";
import type { Database, Tx } from "#server/db/index.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import {
  type JobHandler,
  type JobHandlers,
  type JobKind,
  type JobName,
  type JobPayload,
  jobTable,
} from "./queue/job-table.ts";

export interface EnqueueOptions {
  /** For kinds with `onePerKey`: which line the job stands in. For others, what `hasten` finds it by. */
  readonly key?: string;
  readonly delaySeconds?: number;
  /** One with the same key that waits for its time gets this one's. */
  readonly hasten?: boolean;
}

export interface Queue {
  /**
   * Puts a job in. Inside `tx` it exists exactly when the transaction commits; with null it exists at once. False
   * when one with the same key is waiting already.
   */
  enqueue<Name extends JobName>(
    tx: Tx | pg.ClientBase | null,
    name: Name,
    payload: JobPayload<Name>,
    options?: EnqueueOptions,
  ): Promise<boolean>;
  /** The same for many of a kind with `onePerKey`, at once and in one statement; those that wait already are left. */
  enqueueAll<Name extends JobName>(
    name: Name,
    jobs: readonly { readonly key: string; readonly payload: JobPayload<Name> }[],
  ): Promise<void>;
  /** Lets waiting jobs with these keys run now, also those that wait for another attempt. */
  hasten(name: JobName, keys: readonly string[]): Promise<void>;
  /** Makes this process look for jobs of a kind now instead of at its next poll. Call it after the commit. */
  wake(name: JobName): void;
  /** Starts to work on jobs of every kind. */
  work(handlers: JobHandlers): Promise<void>;
  /** Takes no new jobs and waits for those under way. */
  close(): Promise<void>;
}

const jobNames = Object.keys(jobTable) as JobName[];
const kindOf = (name: JobName): JobKind => jobTable[name];

const settingsOf = ({ retries, timeoutSeconds }: JobKind) => ({
  retryLimit: retries,
  retryDelay: limits.jobs.retryDelaySeconds,
  retryBackoff: true,
  retryDelayMax: limits.jobs.retryDelayMaxSeconds,
  expireInSeconds: timeoutSeconds,
  // A worker that was killed is noticed by its silence, not by the end of its job's time.
  heartbeatSeconds: limits.jobs.heartbeatSeconds,
  deleteAfterSeconds: limits.jobs.finishedRetentionSeconds,
});

/** pg-boss's names for it. A queue keeps the one it was made with. */
function policyOf({ onePerKey }: JobKind): "standard" | "short" | "stately" {
  if (onePerKey === undefined) return "standard";
  return onePerKey === "waiting" ? "short" : "stately";
}

/** Makes the queues as the table has them. Returns whether any of them was not like that before. */
async function prepare(boss: PgBoss): Promise<boolean> {
  const known = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
  let changed = false;
  for (const name of jobNames) {
    const kind = kindOf(name);
    const queue = known.get(name);
    const { heartbeatSeconds: _, retryDelayMax: __, ...changeable } = settingsOf(kind);
    const isSame = Object.entries(changeable).every(
      ([setting, value]) => queue?.[setting as keyof typeof changeable] === value,
    );
    if (!queue) await boss.createQueue(name, { ...settingsOf(kind), policy: policyOf(kind) });
    else if (!isSame) await boss.updateQueue(name, changeable);
    changed ||= !isSame;
    if (kind.schedule) await boss.schedule(name, kind.schedule, {});
    else await boss.unschedule(name);
  }
  return changed;
}

/** Sends statements of the queue over the caller's own transaction, or as any other statement of theirs. */
function executor(tx: Tx | pg.ClientBase | Pick<Database, "statement">) {
  return {
    async executeSql(text: string, values: unknown[] = []) {
      if ("statement" in tx) return { rows: await tx.statement(text, values) };
      if ("query" in tx) return tx.query(text, values);
      const rows = await tx.$queryRawUnsafe(text, ...values);
      return { rows: Array.isArray(rows) ? rows : [] };
    },
  };
}

/** Warns once when the queue cannot be reached, until a job is done again. */
function reachabilityOf(log: Log) {
  let failing = false;
  return {
    failed(error: Error): void {
      if (!failing) log.warn({ event: "jobs", reason: error.message }, "The job queue cannot be reached");
      failing = true;
    },
    worked(): void {
      failing = false;
    },
  };
}

/** Starts pg-boss, with its tables and queues brought up to date. */
async function startBoss(connection: pg.PoolConfig, onError: (error: Error) => void): Promise<PgBoss> {
  const { host, port, user, password, database, connectionString, ssl, query_timeout } = connection;
  const options = {
    ...(connectionString === undefined ? { host, port, user, password, database } : { connectionString }),
    ...(ssl !== undefined && { ssl }),
    // pg-boss hands on to pg what it does not know itself.
    query_timeout: query_timeout ?? limits.database.background.silentMs,
    schema: "jobs",
    max: limits.jobs.connectionsMax,
    superviseIntervalSeconds: limits.jobs.superviseEverySeconds,
  };
  const start = async () => {
    const started = new PgBoss(options);
    started.on("error", onError);
    await started.start();
    return started;
  };
  const boss = await start();
  if (!(await prepare(boss))) return boss;
  // It reads its queues when it starts. Those it learns of later it would look up over a connection of its own, for
  // which the transaction that puts a job in would wait on the embedded database, and the other way round.
  await boss.stop({ graceful: false });
  return start();
}

/**
 * Opens the queue, bringing its tables up to date first. Jobs are put in by way of `database`; they are taken out over
 * a few connections of their own.
 */
export async function openQueue(
  connection: pg.PoolConfig,
  statements: Pick<Database, "statement">,
  log: Log,
): Promise<Queue> {
  const reachability = reachabilityOf(log);
  const boss = await startBoss(connection, reachability.failed);
  const workers = new Map<JobName, string[]>();

  async function workOn<Name extends JobName>(name: Name, handler: JobHandler<Name>): Promise<void> {
    const { concurrency, payload, together = 1 } = kindOf(name);
    const ids: string[] = [];
    const workOnOne = async ({ id, data, signal }: Job<unknown>): Promise<JobResult> => {
      try {
        await handler(payload.parse(data) as JobPayload<Name>, { id, signal });
        return { id, status: "completed" };
      } catch (error) {
        log.warn({ event: "job", code: name, error }, "A job failed and will be tried again");
        return { id, status: "failed" };
      }
    };
    for (let at = 0; at < concurrency; at++) {
      const options = {
        pollingIntervalSeconds: limits.jobs.pollEverySeconds,
        batchSize: together,
        perJobResults: true as const,
      };
      const id = await boss.work(name, options, async (jobs) => {
        reachability.worked();
        // Where there was one there may be more: polling is for when there is nothing to do.
        boss.notifyWorker(ids[at] ?? "");
        return Promise.all(jobs.map(workOnOne));
      });
      ids.push(id);
    }
    workers.set(name, ids);
  }

  return {
    async enqueue(tx, name, payload, { key, delaySeconds, hasten = false } = {}) {
      const data = kindOf(name).payload.parse(payload) as object;
      const db = executor(tx ?? statements);
      const id = await boss.send(name, data, {
        ...(key !== undefined && { singletonKey: key }),
        ...(delaySeconds !== undefined && { startAfter: delaySeconds }),
        db,
      });
      if (id === null && hasten && key !== undefined) {
        await boss.update(name, data, {
          singletonKey: key,
          startAfter: delaySeconds ?? 0,
          match: "all",
          db,
        });
      }
      return id !== null;
    },
    async enqueueAll(name, jobs) {
      if (jobs.length === 0) return;
      const { payload: shape } = kindOf(name);
      await boss.insert(
        name,
        jobs.map(({ key, payload }) => ({ singletonKey: key, data: shape.parse(payload) as object })),
      );
    },
    async hasten(name, keys) {
      const now = { startAfter: 0, match: "all", db: executor(statements) } as const;
      for (const singletonKey of keys) await boss.update({ name, options: { singletonKey, ...now } });
    },
    wake(name) {
      for (const id of workers.get(name) ?? []) boss.notifyWorker(id);
    },
    async work(handlers) {
      for (const name of jobNames) await workOn(name, handlers[name]);
    },
    async close() {
      await boss.stop({ graceful: true, timeout: limits.jobs.stopTimeoutMs });
    },
  };
}

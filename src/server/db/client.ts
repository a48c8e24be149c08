import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { Prisma, PrismaClient } from "#generated/prisma/client.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import type { RowSeal } from "#server/platform/row-seal.ts";
import { raisingAtEnd } from "./config-version.ts";
import { repeated } from "./conflicts.ts";
import { ConnectionSet } from "./connection-set.ts";
import { translated } from "./errors.ts";
import { Pulse } from "./pulse.ts";
import { withRecordTimes } from "./record-times.ts";
import { namingConflict } from "./unique-constraints.ts";
import { currentWaiting } from "./waiting.ts";

export type Tx = Prisma.TransactionClient;

/** Runs a statement, a constant with `$1` parameters. Returns its rows. */
export type Statement = <Row extends pg.QueryResultRow>(text: string, values: unknown[]) => Promise<Row[]>;

const seals = new WeakMap<object, RowSeal>();

/** What signs rows that are written in a transaction. Throws when the database was opened without a key for that. */
export function sealOf(tx: Tx): RowSeal {
  const seal = seals.get(tx);
  if (!seal) throw new Error("This database was opened without the key that signs the audit log");
  return seal;
}

/**
 * The way to the database. What a person or a program waits for (`asInteractive`) has connections of its own and is
 * answered within three seconds; all else has others, and more time. Failures that pass are `Unavailable`.
 */
export interface Database {
  /** Signs rows of the audit log; null where none are written. */
  readonly seal: RowSeal | null;
  /** For statements by themselves. Transactions go by `transaction`. */
  readonly prisma: PrismaClient;
  /**
   * Runs `work` in one transaction; everything it wrote is undone when it throws. It is run again after a conflict
   * with another transaction, so it must do nothing but ask the database. Throws CONFLICT naming the field when a
   * value is there already that must be unique.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * The same without Prisma, for the few batch statements whose parameters are large: Prisma would copy and
   * escape them twice. Statements are constants with `$1` parameters.
   */
  batch<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T>;
  /** One such statement by itself. */
  readonly statement: Statement;
  close(): Promise<void>;
}

/** Longer than any wait of a connection set, which fails first and with the reason. */
const prismaWaitMs = 60_000;

/** The pool Prisma sees. It has no connections: each call goes to the connection set of its caller. */
function poolOver(currentSet: () => ConnectionSet): pg.Pool {
  const pool = new pg.Pool();
  pool.connect = (() => currentSet().connect()) as typeof pool.connect;
  pool.query = ((...args: unknown[]) => currentSet().query(args)) as typeof pool.query;
  return pool;
}

async function inTransaction<T>(set: ConnectionSet, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = await set.connect();
  let broken: Error | undefined;
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

interface DatabaseOptions {
  /** Whether a database that has answered nobody for two seconds is not waited for by those who wait. */
  readonly failsFast?: boolean;
}

/**
 * Opens the connections and Prisma's client over them. `seal` is needed where anything is written that the audit log
 * tells.
 */
export function openDatabase(
  connection: pg.PoolConfig,
  metrics: Metrics,
  log: Log,
  seal: RowSeal | null = null,
  { failsFast = false }: DatabaseOptions = {},
): Database {
  const { interactive, background, queue } = limits.database;
  const shared = { connection, metrics, log, failsFast, pulse: new Pulse() };
  const sets = {
    interactive: new ConnectionSet({
      ...shared,
      connectionLimits: interactive,
      connectionsMaxPerHolder: queue.connectionsMaxPerHolder,
    }),
    background: new ConnectionSet({
      ...shared,
      connectionLimits: background,
      connectionsMaxPerHolder: background.connectionsMax,
    }),
  };
  const currentSet = () => (currentWaiting() ? sets.interactive : sets.background);
  const prisma = withRecordTimes(new PrismaClient({ adapter: new PrismaPg(poolOver(currentSet)) }));

  /** Counts everything from the wait for a connection to the commit, and tells failures apart. */
  async function waited<T>(work: () => Promise<T>): Promise<T> {
    const running = repeated(work).catch((error: unknown) => {
      // What the database said was told apart on its connection; this is what Prisma makes of transactions by itself.
      throw error instanceof Prisma.PrismaClientKnownRequestError ? translated(error) : error;
    });
    return currentWaiting()?.for(running) ?? running;
  }

  return {
    prisma,
    seal,
    async transaction(work) {
      const { transactionTimeoutMs: timeout } = currentWaiting() ? interactive : background;
      const running = waited(() =>
        prisma.$transaction(
          (tx) => {
            if (seal) seals.set(tx, seal);
            return raisingAtEnd(tx, work);
          },
          { maxWait: prismaWaitMs, timeout },
        ),
      );
      return running.catch((error: unknown) => {
        throw namingConflict(error);
      });
    },
    batch: (work) => waited(() => inTransaction(currentSet(), work)),
    statement: async <Row extends pg.QueryResultRow>(text: string, values: unknown[]) =>
      ((await currentSet().query([text, values])) as pg.QueryResult<Row>).rows,
    async close() {
      await prisma.$disconnect();
      await Promise.all([sets.interactive.end(), sets.background.end()]);
    },
  };
}

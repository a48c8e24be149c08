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
import { createRowReport, type ReportRow } from "./stored-row.ts";
import { namingConflict } from "./unique-constraints.ts";
import { currentWaiting } from "./waiting.ts";

export type Tx = Prisma.TransactionClient;

/** Runs a statement, a constant with `$1` parameters. Returns its rows. */
export type Statement = <Row extends pg.QueryResultRow>(text: string, values: unknown[]) => Promise<Row[]>;

const seals = new WeakMap<object, RowSeal>();

/** What signs rows that are written in a transaction. Throws if the database was opened without the signing key. */
export function sealOf(tx: Tx): RowSeal {
  const seal = seals.get(tx);
  if (!seal) throw new Error("This database was opened without the key that signs the audit log");
  return seal;
}

/**
 * Access to the database. Work a client waits for (`asInteractive`) has its own connections and ends within three
 * seconds. All other work has separate connections and more time. Temporary failures are `Unavailable`.
 */
export interface Database {
  /** Signs rows of the audit log. Null where no such rows are written. */
  readonly seal: RowSeal | null;
  /** For single statements. For transactions use `transaction`. */
  readonly prisma: PrismaClient;
  /**
   * Runs `work` in one transaction, which is rolled back if it throws. After a conflict with another transaction it
   * runs again, so it must have no effects outside the database. Throws CONFLICT, naming the field, for a duplicate
   * of a unique value.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * The same without Prisma, for batch statements with large parameters, which Prisma would copy and escape twice.
   * Statements are constants with `$1` parameters.
   */
  batch<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T>;
  /** Logs a row that cannot be read, once. */
  readonly reportRow: ReportRow;
  /** A single statement without Prisma. */
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
  /** Whether interactive work fails immediately if the database has not answered for two seconds. */
  readonly failsFast?: boolean;
}

/**
 * Opens the connections and Prisma's client over them. `seal` is needed wherever rows of the audit log are written.
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

  /** Counts the time from waiting for a connection to the commit, and translates failures. */
  async function waited<T>(work: () => Promise<T>): Promise<T> {
    const running = repeated(work).catch((error: unknown) => {
      // Errors of the database were translated on their connection. This translates Prisma's own errors.
      throw error instanceof Prisma.PrismaClientKnownRequestError ? translated(error) : error;
    });
    return currentWaiting()?.for(running) ?? running;
  }

  return {
    prisma,
    seal,
    reportRow: createRowReport(log),
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

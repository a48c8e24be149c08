import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { type Prisma, PrismaClient } from "#generated/prisma/client.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import type { RowSeal } from "#server/platform/row-seal.ts";
import { withRecordTimes } from "./record-times.ts";
import { namingConflict } from "./unique-constraints.ts";

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

export interface Database {
  /** Signs rows of the audit log; null where none are written. */
  readonly seal: RowSeal | null;
  readonly prisma: PrismaClient;
  /**
   * Runs `work` in one transaction; everything it wrote is undone when it throws. Throws CONFLICT naming the field when
   * a value is there already that must be unique.
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

/** A pool whose every statement is counted: the inference path must send none, and a test holds it to that. */
function countingPool(connection: pg.PoolConfig, metrics: Metrics, log: Log): pg.Pool {
  const pool = new pg.Pool({
    max: limits.database.poolMax,
    connectionTimeoutMillis: limits.database.acquireTimeoutMs,
    statement_timeout: limits.database.statementTimeoutMs,
    ...connection,
  });
  pool.on("error", (error) => log.warn({ event: "database", error }, "An idle database connection broke"));
  pool.on("connect", (client) => {
    // The pool hears of idle connections only; one that breaks in use fails its statement, and must not end the process.
    client.on("error", () => {});
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      metrics.statements.inc();
      return query(...args);
    }) as typeof client.query;
  });
  return pool;
}

/** Opens the pool and Prisma's client over it. `seal` is needed where anything is written that the audit log tells. */
export function openDatabase(
  connection: pg.PoolConfig,
  metrics: Metrics,
  log: Log,
  seal: RowSeal | null = null,
): Database {
  const pool = countingPool(connection, metrics, log);
  const prisma = withRecordTimes(new PrismaClient({ adapter: new PrismaPg(pool) }));
  return {
    prisma,
    seal,
    async transaction(work) {
      try {
        return await prisma.$transaction(
          (tx) => {
            if (seal) seals.set(tx, seal);
            return work(tx);
          },
          { maxWait: limits.database.acquireTimeoutMs, timeout: limits.database.transactionTimeoutMs },
        );
      } catch (error) {
        throw namingConflict(error);
      }
    },
    async batch(work) {
      const client = await pool.connect();
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
    },
    statement: async <Row extends pg.QueryResultRow>(text: string, values: unknown[]) =>
      (await pool.query<Row>(text, values)).rows,
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

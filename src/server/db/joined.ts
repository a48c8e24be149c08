import type { PrismaClient } from "#generated/prisma/client.ts";
import type { Database, Tx } from "./client.ts";

const alone = (): never => {
  throw new Error("This needs a connection of its own, and the database is part of a transaction");
};

/**
 * The database as a part of an open transaction: what would begin a transaction joins it. So several functions that
 * each change something with a transaction of their own succeed or fail together.
 */
export const joined = (database: Database, tx: Tx): Database => ({
  seal: database.seal,
  reportRow: database.reportRow,
  // It has all statements; only what begins, connects or disconnects is missing, which callers of `Database` never use.
  prisma: tx as PrismaClient,
  transaction: (work) => work(tx),
  batch: alone,
  statement: alone,
  close: alone,
});

import type { PGlite } from "@electric-sql/pglite";

/** Messages of the extended query protocol after which a statement is unfinished until Sync. */
const partial = new Set([..."PBDECH"].map((type) => type.charCodeAt(0)));

/**
 * The socket server passes PGlite's single session between connections after each message, except in a transaction. A
 * statement with parameters is five messages, so without this the messages of two connections could mix, and one would
 * get the rows of the other. Therefore an unfinished statement counts as a transaction too.
 */
export function serializeStatements(database: PGlite): void {
  const inTransaction = database.isInTransaction.bind(database);
  const run = database.execProtocolRawStream.bind(database);
  const exec = database.exec.bind(database);
  let unfinished = false;
  database.isInTransaction = () => unfinished || inTransaction();
  database.execProtocolRawStream = (message, options) => {
    unfinished = partial.has(message[0] ?? 0);
    return run(message, options);
  };
  // The socket server's ROLLBACK for a connection that closed in the middle.
  database.exec = (...statement) => {
    unfinished = false;
    return exec(...statement);
  };
}

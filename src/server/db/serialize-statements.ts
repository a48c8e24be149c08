import type { PGlite } from "@electric-sql/pglite";

/** Messages of the extended query protocol that leave a statement unfinished until Sync comes. */
const partial = new Set([..."PBDECH"].map((type) => type.charCodeAt(0)));

/**
 * The socket server hands PGlite's one session from connection to connection between messages, but not while
 * a transaction is open. A statement with parameters is five messages: without this, two connections' parts
 * mix and one gets the other's rows. So an unfinished statement counts as a transaction too.
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
  // The socket server's ROLLBACK for a connection that left in the middle.
  database.exec = (...statement) => {
    unfinished = false;
    return exec(...statement);
  };
}

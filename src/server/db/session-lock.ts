import pg from "pg";

export interface SessionLock {
  release(): Promise<void>;
}

/**
 * Takes an advisory lock, which this process holds until it releases the lock or ends. Null if another process holds
 * it for longer than `waitMs`.
 */
export async function takeSessionLock(
  connection: pg.PoolConfig,
  lock: number,
  waitMs: number,
): Promise<SessionLock | null> {
  const client = new pg.Client({ ...connection, query_timeout: 0, keepAlive: true });
  client.on("error", () => {});
  await client.connect();
  try {
    // The embedded database has one session for all: what is set must end with the transaction.
    await client.query(
      `begin; set local statement_timeout = 0; set local lock_timeout = ${Math.trunc(waitMs)}`,
    );
    await client.query("select pg_advisory_lock($1)", [lock]);
    await client.query("commit");
  } catch (error) {
    await client.end();
    if (error instanceof pg.DatabaseError && error.code === "55P03") return null;
    throw error;
  }
  return {
    async release() {
      try {
        await client.query("select pg_advisory_unlock($1)", [lock]);
      } finally {
        await client.end();
      }
    },
  };
}

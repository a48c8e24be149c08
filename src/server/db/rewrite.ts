import type { Database } from "./client.ts";

/**
 * Rewrites every table without rows that were deleted or changed, so that its files have nothing of them. Tables are
 * locked meanwhile. With `embedded`, also removes the write-ahead log of before: nothing may run beside it.
 */
export async function rewriteTables({ statement }: Database, embedded: boolean): Promise<void> {
  await statement("vacuum full", []);
  if (!embedded) return;
  // Otherwise segments are used again, and hold what they had until they are overwritten.
  await statement("set wal_recycle = off", []);
  await statement("select pg_switch_wal()", []);
  await statement("checkpoint", []);
}

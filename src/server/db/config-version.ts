import type { Prisma } from "#generated/prisma/client.ts";

type Tx = Prisma.TransactionClient;

/** Running transactions, and whether the version is raised at their end. */
const raised = new WeakMap<Tx, { isWanted: boolean }>();

const raise = (tx: Tx): Promise<unknown> =>
  tx.config_version.upsert({ where: { id: 1 }, create: {}, update: { version: { increment: 1 } } });

/**
 * Call in every transaction that changes what snapshots contain: each process reloads when it sees the new number.
 * All changes write the same row, so it is written last: its lock blocks all other changes.
 */
export async function raiseConfigVersion(tx: Tx): Promise<void> {
  const end = raised.get(tx);
  if (end) end.isWanted = true;
  else await raise(tx);
}

/** Runs `work` in a transaction that has begun, and raises the version at its end if requested. */
export async function raisingAtEnd<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  const end = { isWanted: false };
  raised.set(tx, end);
  const result = await work(tx);
  if (end.isWanted) await raise(tx);
  return result;
}

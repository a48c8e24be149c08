import type { Tx } from "./client.ts";

/** Call in every transaction that changes what snapshots hold: each process reloads when it sees the new number. */
export async function raiseConfigVersion(tx: Tx): Promise<void> {
  await tx.config_version.upsert({ where: { id: 1 }, create: {}, update: { version: { increment: 1 } } });
}

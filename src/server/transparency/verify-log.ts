import type { Database } from "#server/db/index.ts";
import { isSigned } from "./checkpoint.ts";
import type { LogSigner } from "./note.ts";
import { readTiles } from "./stored-tree.ts";
import { type ReadTiles, rootOfEdge, withTiles } from "./tiles.ts";
import { rootHash } from "./tree.ts";
import { verifyEntries } from "./verify-entries.ts";

export interface ChangedLog {
  readonly orgId: string;
  readonly problem: string;
}

export interface LogVerdict {
  readonly logs: number;
  readonly entries: number;
  readonly changed: readonly ChangedLog[];
}

/** A checkpoint that somebody stored outside the database. */
export interface StoredCheckpoint {
  readonly origin: string;
  readonly size: number;
  /** Base64. */
  readonly root: string;
}

/** Reads the text of a checkpoint (C2SP tlog-checkpoint); null if it is none. Does not check its signatures. */
export function readCheckpoint(text: string): StoredCheckpoint | null {
  const [origin = "", size = "", root = ""] = text.split("\n");
  return origin !== "" && /^(0|[1-9]\d{0,14})$/.test(size) && root !== ""
    ? { origin, size: Number(size), root }
    : null;
}

async function problemOf(
  database: Database,
  signer: LogSigner,
  tree: { org_id: string; origin: string; size: bigint; checkpoint: string },
  outside: readonly StoredCheckpoint[],
): Promise<string | null> {
  const { org_id: orgId, origin, checkpoint } = tree;
  const size = Number(tree.size);
  if (checkpoint === "" && size === 0) return null;
  const read: ReadTiles = (places) => readTiles(database.statement, orgId, places);
  const { edge, problem } = await verifyEntries(database, orgId, size, read);
  if (problem !== null) return problem;
  const root = await rootOfEdge(size, edge);
  if (!isSigned(checkpoint, { origin, size, root }, signer.keysOf(origin)))
    return "its checkpoint is not the one that this installation signed";
  for (const earlier of outside) {
    if (earlier.size > size) return `it has ${size} entries, and had ${earlier.size} at the checkpoint given`;
    const then = await withTiles(read, (hashAt) => rootHash(earlier.size, hashAt));
    if (then.toString("base64") !== earlier.root)
      return `its first ${earlier.size} entries are not those of the checkpoint given`;
  }
  return null;
}

/**
 * Verifies every transparency log: that its entries are the rows of the audit log, that its checkpoint is signed with
 * one of the installation's keys, and that it continues the checkpoints given. Changes nothing.
 */
export async function verifyLogs(
  database: Database,
  signer: LogSigner,
  outside: readonly StoredCheckpoint[] = [],
): Promise<LogVerdict> {
  const trees = await database.prisma.log_tree.findMany();
  const changed: ChangedLog[] = [];
  for (const tree of trees) {
    const problem = await problemOf(
      database,
      signer,
      tree,
      outside.filter(({ origin }) => origin === tree.origin),
    );
    if (problem !== null) changed.push({ orgId: tree.org_id, problem });
  }
  const missing = outside.filter(({ origin }) => !trees.some((tree) => tree.origin === origin));
  changed.push(...missing.map(({ origin }) => ({ orgId: origin, problem: "the log is missing" })));
  return { logs: trees.length, entries: trees.reduce((sum, { size }) => sum + Number(size), 0), changed };
}

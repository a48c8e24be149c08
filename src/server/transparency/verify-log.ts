import { deletedBefore } from "#server/audit/deleted-requests.ts";
import { type Database, firstIdOf } from "#server/db/index.ts";
import { firstIdLogged } from "./begin-requests.ts";
import { isSigned } from "./checkpoint.ts";
import type { LogSigner } from "./note.ts";
import { readTiles } from "./stored-tree.ts";
import { type ReadTiles, rootOfEdge, withTiles } from "./tiles.ts";
import { rootHash } from "./tree.ts";
import { verifyEntries } from "./verify-entries.ts";
import { findChangedDocuments, findUnlogged } from "./verify-requests.ts";

export interface ChangedLog {
  readonly orgId: string;
  readonly problem: string;
}

export interface LogVerdict {
  readonly logs: number;
  readonly entries: number;
  /** Requests in the logs whose records were deleted because they were older than the retention. */
  readonly deleted: number;
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

interface LogState {
  readonly problem: string | null;
  readonly hasRequests: boolean;
  readonly deleted: number;
}

/** The smallest ID of the requests that the retention did not delete. */
async function firstIdKept(database: Database, orgId: string, auditPosition: number): Promise<string> {
  const day = await deletedBefore(database, orgId, auditPosition);
  return firstIdOf(day === null ? 0 : Date.parse(day));
}

async function stateOf(
  database: Database,
  signer: LogSigner,
  tree: { org_id: string; origin: string; size: bigint; audit_position: number; checkpoint: string },
  outside: readonly StoredCheckpoint[],
): Promise<LogState> {
  const { org_id: orgId, origin, checkpoint } = tree;
  const size = Number(tree.size);
  if (checkpoint === "" && size === 0) return { problem: null, hasRequests: false, deleted: 0 };
  const read: ReadTiles = (places) => readTiles(database.statement, orgId, places);
  const firstKept = await firstIdKept(database, orgId, tree.audit_position);
  const { edge, problem, ...found } = await verifyEntries(database, { orgId, size, firstKept }, read);
  if (problem !== null) return { ...found, problem };
  const root = await rootOfEdge(size, edge);
  if (!isSigned(checkpoint, { origin, size, root }, signer.keysOf(origin)))
    return { ...found, problem: "its checkpoint is not the one that this installation signed" };
  for (const earlier of outside) {
    if (earlier.size > size)
      return {
        ...found,
        problem: `it has ${size} entries, and had ${earlier.size} at the checkpoint given`,
      };
    const then = await withTiles(read, (hashAt) => rootHash(earlier.size, hashAt));
    if (then.toString("base64") !== earlier.root)
      return {
        ...found,
        problem: `its first ${earlier.size} entries are not those of the checkpoint given`,
      };
  }
  return { ...found, problem: null };
}

/**
 * Verifies every transparency log: that its entries are the rows of the audit log and the requests, that no request is
 * stored beside it, that its checkpoint is signed with one of the installation's keys, and that it continues the
 * checkpoints given. Changes nothing.
 */
export async function verifyLogs(
  database: Database,
  signer: LogSigner,
  outside: readonly StoredCheckpoint[] = [],
): Promise<LogVerdict> {
  const trees = await database.prisma.log_tree.findMany();
  const changed: ChangedLog[] = [];
  const firstIds = new Map<string, string>();
  let deleted = 0;
  for (const tree of trees) {
    const own = outside.filter(({ origin }) => origin === tree.origin);
    const state = await stateOf(database, signer, tree, own);
    deleted += state.deleted;
    if (state.problem !== null) changed.push({ orgId: tree.org_id, problem: state.problem });
    else if (state.hasRequests)
      firstIds.set(tree.org_id, await firstIdLogged(database, tree.org_id, tree.audit_position));
  }
  for (const problems of [await findUnlogged(database, firstIds), await findChangedDocuments(database)])
    for (const [orgId, problem] of problems) changed.push({ orgId, problem });
  const missing = outside.filter(({ origin }) => !trees.some((tree) => tree.origin === origin));
  changed.push(...missing.map(({ origin }) => ({ orgId: origin, problem: "the log is missing" })));
  const entries = trees.reduce((sum, { size }) => sum + Number(size), 0);
  return { logs: trees.length, entries, deleted, changed };
}

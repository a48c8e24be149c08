import type {
  AuditProof,
  ConsistencyProof,
  ConsistencyQuery,
  TransparencyLog,
} from "#contract/transparency-log.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { chainedText } from "#server/audit/chain.ts";
import type { Database } from "#server/db/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { inclusionProof } from "./checkpoint.ts";
import { newestCosigned } from "./cosigned.ts";
import { auditPositionOf, entriesIn } from "./entry.ts";
import type { LogSigner } from "./note.ts";
import { readTiles } from "./stored-tree.ts";
import { tileHashes, withTiles } from "./tiles.ts";
import { consistencyPath, type HashAt, inclusionPath, rootHash } from "./tree.ts";

type Reader = Authorized<"audit:read", "organisation">;

export interface LogDeps {
  readonly database: Database;
  readonly signer: LogSigner;
}

const soon = "Changes are added to the transparency log within 5 seconds. Try again then.";

async function treeOf({ database }: LogDeps, { orgId }: Reader) {
  const tree = await database.prisma.log_tree.findUnique({ where: { org_id: orgId } });
  if (!tree || tree.checkpoint === "")
    throw new AppError("NOT_FOUND", `The organisation has no transparency log yet. ${soon}`);
  return { ...tree, size: Number(tree.size) };
}

const computedFor = <Result>(
  { database }: LogDeps,
  { orgId }: Reader,
  compute: (hashAt: HashAt) => Result,
): Promise<Result> => withTiles((places) => readTiles(database.statement, orgId, places), compute);

/** The newest checkpoints of the organisation's log, and the keys that they are signed with. */
export async function getLog(deps: LogDeps, caller: Reader): Promise<TransparencyLog> {
  const { origin, size, checkpoint, signed_at } = await treeOf(deps, caller);
  const cosigned = await newestCosigned(deps.database, caller.orgId, { index: 0, size });
  return {
    origin,
    size,
    checkpoint,
    signed_at: signed_at.toISOString(),
    public_keys: deps.signer.keysOf(origin).map(({ publicKey }) => publicKey),
    cosigned_checkpoint: cosigned?.checkpoint ?? null,
    witnesses: (cosigned?.witnesses ?? []).map(({ name, cosigned_at }) => ({
      name,
      cosigned_at: cosigned_at.toISOString(),
    })),
  };
}

/** The index of the entry about a row of the audit log; null if there is none. */
async function indexOf({ database }: LogDeps, { orgId }: Reader, position: number): Promise<number | null> {
  const bundle = await database.prisma.log_bundle.findFirst({
    where: { org_id: orgId, first_audit: { lte: position } },
    orderBy: [{ first_audit: "desc" }],
  });
  const at = entriesIn(bundle?.entries ?? new Uint8Array()).findIndex(
    (entry) => auditPositionOf(entry) === position,
  );
  return bundle && at >= 0 ? Number(bundle.position) * tileHashes + at : null;
}

/**
 * The row at a position of the organisation's audit log, with the proof that it is in the transparency log: with the
 * newest checkpoint that witnesses signed, if it covers the row, otherwise with the newest of all.
 */
export async function proveAuditEntry(deps: LogDeps, caller: Reader, position: number): Promise<AuditProof> {
  const row = await deps.database.prisma.audit_entry.findFirst({
    where: { org_id: caller.orgId, position },
    orderBy: { id: "asc" },
  });
  if (!row) throw new AppError("NOT_FOUND", `The audit log has no entry ${position}`, { param: "position" });
  const tree = await treeOf(deps, caller);
  const index = await indexOf(deps, caller, position);
  if (index === null || index >= tree.size)
    throw new AppError("NOT_FOUND", `Entry ${position} is not in the transparency log yet. ${soon}`);
  const cosigned = await newestCosigned(deps.database, caller.orgId, { index, size: tree.size });
  const { size, checkpoint } = cosigned ?? tree;
  const path = await computedFor(deps, caller, (hashAt) => inclusionPath(index, size, hashAt));
  const text = chainedText({ ...row, occurred_at: row.occurred_at.toISOString() });
  return {
    type: "audit_entry",
    text,
    proof: inclusionProof(index, path, checkpoint),
    public_keys: deps.signer.keysOf(tree.origin).map(({ publicKey }) => publicKey),
  };
}

/** The proof that the newest checkpoint, if possible one that witnesses signed, continues the tree with `from` entries. */
export async function proveConsistency(
  deps: LogDeps,
  caller: Reader,
  { from }: ConsistencyQuery,
): Promise<ConsistencyProof> {
  const tree = await treeOf(deps, caller);
  if (from > tree.size)
    throw new AppError("BAD_REQUEST", `from: the log has ${tree.size} entries`, { param: "from" });
  const cosigned = await newestCosigned(deps.database, caller.orgId, { index: from - 1, size: tree.size });
  const { size, checkpoint } = cosigned ?? tree;
  const proof = await computedFor(deps, caller, (hashAt) => ({
    root: rootHash(from, hashAt),
    path: consistencyPath(from, size, hashAt),
  }));
  return {
    type: "consistency",
    from,
    from_root_hash: proof.root.toString("base64"),
    hashes: proof.path.map((hash) => hash.toString("base64")),
    checkpoint,
    public_keys: deps.signer.keysOf(tree.origin).map(({ publicKey }) => publicKey),
  };
}

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
import { indexOfAuditEntry } from "./index-of.ts";
import type { LogSigner } from "./note.ts";
import { readTiles } from "./stored-tree.ts";
import { withTiles } from "./tiles.ts";
import { consistencyPath, type HashAt, inclusionPath, rootHash } from "./tree.ts";

type Reader = Authorized<"audit:read", "organisation">;
type Member = Pick<Reader, "orgId">;

export interface LogDeps {
  readonly database: Database;
  readonly signer: LogSigner;
}

const soon = "Changes and requests are added to the transparency log within 5 seconds. Try again then.";

export async function treeOf({ database }: LogDeps, { orgId }: Member) {
  const tree = await database.prisma.log_tree.findUnique({ where: { org_id: orgId } });
  if (!tree || tree.checkpoint === "")
    throw new AppError("NOT_FOUND", `The organisation has no transparency log yet. ${soon}`);
  return { ...tree, size: Number(tree.size) };
}

export const computedFor = <Result>(
  { database }: LogDeps,
  { orgId }: Member,
  compute: (hashAt: HashAt) => Result,
): Promise<Result> => withTiles((places) => readTiles(database.statement, orgId, places), compute);

/** The newest checkpoints of the organisation's log, and the keys that they are signed with. */
export async function getLog(deps: LogDeps, caller: Reader): Promise<TransparencyLog> {
  const { origin, size, checkpoint, signed_at } = await treeOf(deps, caller);
  const cosigned = await newestCosigned(deps.database, caller.orgId, { index: 0, size });
  const publications = await deps.database.prisma.log_publication.findMany({
    where: { org_id: caller.orgId },
    orderBy: { target: "asc" },
  });
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
    publications: publications.map((one) => ({
      target: one.target,
      size: Number(one.size),
      published_at: one.published_at.toISOString(),
    })),
  };
}

/**
 * The proof that an entry is in the log: with the newest checkpoint that witnesses signed, if it covers the entry,
 * otherwise with the newest of all. Throws NOT_FOUND if it is not in the log yet; `name` is what the message calls it.
 */
export async function proveInclusion(
  deps: LogDeps,
  caller: Member,
  index: number | null,
  name: string,
): Promise<{ readonly proof: string; readonly public_keys: string[] }> {
  const tree = await treeOf(deps, caller);
  if (index === null || index >= tree.size)
    throw new AppError("NOT_FOUND", `${name} is not in the transparency log yet. ${soon}`);
  const cosigned = await newestCosigned(deps.database, caller.orgId, { index, size: tree.size });
  const { size, checkpoint } = cosigned ?? tree;
  const path = await computedFor(deps, caller, (hashAt) => inclusionPath(index, size, hashAt));
  return {
    proof: inclusionProof(index, path, checkpoint),
    public_keys: deps.signer.keysOf(tree.origin).map(({ publicKey }) => publicKey),
  };
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
  const index = await indexOfAuditEntry(deps.database, caller.orgId, position);
  const text = chainedText({ ...row, occurred_at: row.occurred_at.toISOString() });
  return { type: "audit_entry", text, ...(await proveInclusion(deps, caller, index, `Entry ${position}`)) };
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

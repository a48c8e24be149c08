import type { Database } from "#server/db/index.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { type Outbound, OutboundError } from "#server/platform/outbound.ts";
import { noteTextOf } from "./checkpoint.ts";
import { readTiles } from "./stored-tree.ts";
import { DamagedTree, withTiles } from "./tiles.ts";
import { consistencyPath } from "./tree.ts";
import { findCosignature, type Witness } from "./witness.ts";

const { timeoutMs, answerBytesMax, together } = limits.transparency.witness;

export interface CosignDeps {
  readonly database: Database;
  readonly outbound: Outbound;
  readonly witnesses: readonly Witness[];
  readonly log: Log;
}

interface Uncosigned {
  readonly org_id: string;
  readonly size: number;
  readonly checkpoint: string;
  /** The size of the checkpoint that the witness signed last; 0 if none. */
  readonly cosigned: number;
}

const selectUncosigned = `
  select tree.org_id, tree.size::float8 as size, tree.checkpoint, coalesce(done.size, 0)::float8 as cosigned
  from log_tree as tree
  left join log_cosignature as done on done.org_id = tree.org_id and done.witness = $1
  where tree.checkpoint <> '' and tree.size > 0 and tree.checkpoint is distinct from done.checkpoint`;

const idOf = ({ name, keyId }: Witness): string => `${name}+${keyId}`;

/** A request of C2SP tlog-witness, with the proof that the tree only grew since it had `from` entries. */
async function submit(
  { database, outbound }: CosignDeps,
  witness: Witness,
  { org_id: orgId, size, checkpoint }: Uncosigned,
  from: number,
): Promise<{ status: number; answer: string }> {
  const path = await withTiles(
    (places) => readTiles(database.statement, orgId, places),
    (hashAt) => consistencyPath(from, size, hashAt),
  );
  const lines = [`old ${from}`, ...path.map((hash) => hash.toString("base64")), "", checkpoint];
  const response = await outbound.send({
    url: witness.url,
    method: "POST",
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: lines.join("\n"),
    firstByteTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
    deadlineMs: clock.monotonicMs() + timeoutMs,
  });
  return { status: response.status, answer: await response.text(answerBytesMax) };
}

/** Has one checkpoint signed. Returns why it was not; null if it was. */
async function cosignOne(deps: CosignDeps, witness: Witness, log: Uncosigned): Promise<string | null> {
  const shrunk = (known: number) => `it knows ${known} entries of the log, which has only ${log.size}`;
  if (log.cosigned > log.size) return shrunk(log.cosigned);
  let { status, answer } = await submit(deps, witness, log, log.cosigned);
  // The witness knows another checkpoint than the one that was stored here, and answers with its size.
  const known = /^(0|[1-9]\d{0,14})\n?$/.exec(answer)?.[1];
  if (status === 409 && known !== undefined && Number(known) !== log.cosigned) {
    if (Number(known) > log.size) return shrunk(Number(known));
    ({ status, answer } = await submit(deps, witness, log, Number(known)));
  }
  if (status !== 200) return `it answered ${status}`;
  const cosignature = findCosignature(answer, noteTextOf(log.checkpoint), witness);
  if (cosignature === null) return "its answer has no valid signature of it";
  const { org_id } = log;
  const { line, signedAtMs } = cosignature;
  const row = { size: log.size, checkpoint: log.checkpoint, line, cosigned_at: dateAt(signedAtMs) };
  await deps.database.prisma.log_cosignature.upsert({
    where: { org_id_witness: { org_id, witness: idOf(witness) } },
    create: { org_id, witness: idOf(witness), ...row },
    update: row,
  });
  return null;
}

/**
 * Has the newest checkpoint of every log signed by every witness. One that cannot be reached, or refuses, is logged; the
 * next run tries again.
 */
export async function cosignCheckpoints(deps: CosignDeps, signal?: AbortSignal): Promise<void> {
  for (const witness of deps.witnesses) {
    const waiting = await deps.database.statement<Uncosigned>(selectUncosigned, [idOf(witness)]);
    const work = async () => {
      for (let log = waiting.shift(); log && !signal?.aborted; log = waiting.shift()) {
        const reason = await cosignOne(deps, witness, log).catch((error: unknown) => {
          if (error instanceof OutboundError || error instanceof DamagedTree) return error.message;
          throw error;
        });
        if (reason !== null)
          deps.log.warn(
            { event: "transparency", reason },
            `The witness ${witness.name} did not sign the checkpoint of the organisation ${log.org_id}: ${reason}`,
          );
      }
    };
    await Promise.all(Array.from({ length: together }, work));
  }
}

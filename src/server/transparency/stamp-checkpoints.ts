import type { Database } from "#server/db/index.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { sha256Hex } from "#server/platform/crypto.ts";
import { randomHex, uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { type Outbound, OutboundError } from "#server/platform/outbound.ts";
import { NotDer } from "./der.ts";
import { readTimestamp, timestampRequest } from "./timestamp.ts";

const { everyMs, timeoutMs, answerBytesMax } = limits.transparency.timestamp;

export interface StampDeps {
  readonly database: Database;
  readonly authorities: {
    /** Where they take requests (RFC 3161 3.4). */
    readonly urls: readonly URL[];
    readonly outbound: Outbound;
  };
  readonly log: Log;
}

interface Unstamped {
  readonly org_id: string;
  readonly size: number;
  readonly checkpoint: string;
}

/** Logs whose newest checkpoint this authority has not stamped, and none of theirs since a time. */
const selectUnstamped = `
  select tree.org_id, tree.size::float8 as size, tree.checkpoint from log_tree as tree
  where tree.size > 0 and tree.checkpoint <> '' and not exists (
    select from log_timestamp as stamp where stamp.org_id = tree.org_id and stamp.authority = $1
      and (stamp.stamped_at > $2::timestamptz or stamp.checkpoint = tree.checkpoint))
  order by tree.org_id`;

/** Returns the time of the timestamp, and the answer. Throws `OutboundError` or `NotDer`. */
async function stamp(
  { authorities: { outbound } }: StampDeps,
  authority: URL,
  checkpoint: string,
): Promise<{ timeMs: number; answer: Buffer }> {
  // The first digit keeps the number positive and without leading zeros.
  const nonce = Buffer.from(`4${randomHex(8).slice(1)}`, "hex");
  const wanted = { hash: Buffer.from(sha256Hex(checkpoint), "hex"), nonce };
  const response = await outbound.send({
    url: authority,
    method: "POST",
    headers: { "content-type": "application/timestamp-query" },
    body: timestampRequest(wanted),
    firstByteTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
    deadlineMs: clock.monotonicMs() + timeoutMs,
  });
  const answer = await response.bytes(answerBytesMax);
  if (response.status !== 200) throw new NotDer(`HTTP status ${response.status}`);
  return { timeMs: readTimestamp(answer, wanted), answer };
}

/**
 * Has the newest checkpoint of every log stamped by every authority, once a day for each log that changed. One that
 * cannot be reached, or whose answer is not valid, is logged; the next run tries again.
 */
export async function stampCheckpoints(deps: StampDeps, signal?: AbortSignal): Promise<void> {
  const { database, authorities, log } = deps;
  for (const authority of authorities.urls) {
    const since = dateAt(clock.nowMs() - everyMs).toISOString();
    const waiting = await database.statement<Unstamped & Record<string, unknown>>(selectUnstamped, [
      authority.href,
      since,
    ]);
    for (const { org_id, size, checkpoint } of waiting) {
      if (signal?.aborted) return;
      try {
        const { timeMs, answer } = await stamp(deps, authority, checkpoint);
        const row = {
          id: uuidv7(),
          org_id,
          authority: authority.href,
          size,
          checkpoint,
          stamped_at: dateAt(timeMs),
        };
        await database.prisma.log_timestamp.create({ data: { ...row, response: new Uint8Array(answer) } });
      } catch (error) {
        if (!(error instanceof OutboundError || error instanceof NotDer)) throw error;
        const invalid = `its answer is not a valid timestamp (${error.message})`;
        const reason = error instanceof NotDer ? invalid : error.message;
        log.warn(
          { event: "transparency", reason },
          `The authority ${authority.host} did not stamp the checkpoint of the organisation ${org_id}: ${reason}`,
        );
      }
    }
  }
}

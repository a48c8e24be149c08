import type { Database } from "#server/db/index.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { type Outbound, OutboundError } from "#server/platform/outbound.ts";
import {
  type PublicationSecrets,
  type PublicationTarget,
  type Published,
  publicationRequest,
} from "./publication-target.ts";

const { timeoutMs, answerBytesMax } = limits.transparency.publication;

/** Where the checkpoints of all logs are published. */
export interface Publication {
  readonly targets: readonly PublicationTarget[];
  readonly secrets: PublicationSecrets;
}

export interface PublishDeps {
  readonly database: Database;
  readonly outbound: Outbound;
  readonly publication: Publication;
  readonly log: Log;
}

interface Unpublished extends Published {
  readonly org_id: string;
}

const selectUnpublished = `
  select tree.org_id, tree.origin, tree.size::float8 as size, tree.checkpoint from log_tree as tree
  left join log_publication as done on done.org_id = tree.org_id and done.target = $1
  where tree.size > 0 and tree.checkpoint <> '' and tree.checkpoint is distinct from done.checkpoint
  order by tree.org_id`;

/** Returns why the target did not take the checkpoint; null if it did. */
async function publish(
  { outbound, publication: { secrets } }: PublishDeps,
  target: PublicationTarget,
  published: Published,
): Promise<string | null> {
  try {
    const answer = await outbound.send({
      ...(await publicationRequest(target, secrets, published)),
      firstByteTimeoutMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
      deadlineMs: clock.monotonicMs() + timeoutMs,
    });
    await answer.text(answerBytesMax);
    const { status } = answer;
    return status >= 200 && status < 300 ? null : `it answered ${status}`;
  } catch (error) {
    if (error instanceof OutboundError) return error.message;
    throw error;
  }
}

/**
 * Publishes the newest checkpoint of every log at every target that does not have it. One that cannot be reached, or
 * refuses, is logged; the next run tries again, with the checkpoint that is the newest then.
 */
export async function publishCheckpoints(deps: PublishDeps, signal?: AbortSignal): Promise<void> {
  const { database, publication, log } = deps;
  for (const target of publication.targets) {
    const { name } = target;
    for (const one of await database.statement<Unpublished & Record<string, unknown>>(selectUnpublished, [
      name,
    ])) {
      if (signal?.aborted) return;
      const { org_id, size, checkpoint } = one;
      const reason = await publish(deps, target, one);
      if (reason !== null) {
        log.warn(
          { event: "transparency", reason },
          `The checkpoint of the organisation ${org_id} was not published at ${target.url.host}: ${reason}`,
        );
        continue;
      }
      const row = { size, checkpoint, published_at: dateAt(clock.nowMs()) };
      await database.prisma.log_publication.upsert({
        where: { org_id_target: { org_id, target: name } },
        create: { org_id, target: name, ...row },
        update: row,
      });
    }
  }
}

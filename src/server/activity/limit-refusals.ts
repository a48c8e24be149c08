import type { Caller } from "#server/access/caller.ts";
import type { Database } from "#server/db/index.ts";
import { isoTime } from "#server/platform/clock.ts";
import type { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";

type KeyCaller = Extract<Caller, { kind: "key" }>;

/** A row of `limit_refusal` before it is written. */
export interface LimitRefusal {
  readonly org_id: string;
  readonly minute: string;
  readonly limit_of: string;
  readonly limit_id: string;
  count: number;
}

const minuteMs = 60_000;

/** Where the id of a limit is, by what its error calls it. */
const idsOf: Readonly<Record<string, (caller: KeyCaller, metadata: AppError["metadata"]) => unknown>> = {
  budget: (_, { budget }) => (budget as { readonly id?: unknown } | undefined)?.id,
  key: ({ keyId }) => keyId,
  workspace: ({ workspaceId }) => workspaceId,
  organisation: ({ orgId }) => orgId,
  key_rate: ({ keyId }) => keyId,
  organisation_rate: ({ orgId }) => orgId,
};

/** The limit that refused a request; null if none did. */
export function limitRefusalOf(
  caller: KeyCaller,
  { metadata }: AppError,
  nowMs: number,
): LimitRefusal | null {
  const { limit_of, limit } = metadata;
  const name = typeof limit_of === "string" ? limit_of : typeof limit === "string" ? `${limit}_rate` : null;
  const id = name === null ? undefined : idsOf[name]?.(caller, metadata);
  if (name === null || typeof id !== "string") return null;
  const minute = isoTime(Math.floor(nowMs / minuteMs) * minuteMs);
  return { org_id: caller.orgId, minute, limit_of: name, limit_id: id, count: 1 };
}

export const limitKeyOf = ({ org_id, minute, limit_of, limit_id }: LimitRefusal): string =>
  [org_id, minute, limit_of, limit_id].join(" ");

/** Adds counts. In a fixed order, so that two processes cannot deadlock. */
export const addLimitRefusals = `
  insert into limit_refusal as known
  select * from json_populate_recordset(null::limit_refusal, $1::json)
  order by org_id, minute, limit_of, limit_id
  on conflict (org_id, minute, limit_of, limit_id) do update set count = known.count + excluded.count`;

/** Deletes counts that no alert reads any more. */
export async function purgeLimitRefusals({ prisma }: Database): Promise<void> {
  const seconds = limits.refusals.limitsRetentionMs / 1000;
  await prisma.$executeRaw`
    delete from limit_refusal where minute < now() - make_interval(secs => ${seconds})`;
}

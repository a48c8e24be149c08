import { Prisma } from "#generated/prisma/client.ts";
import type { Database } from "#server/db/client.ts";
import { hasFallbackSql } from "#server/db/generation-row.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { CompleteFrom, UsagePiece } from "./usage-pieces.ts";

/** Returns from when on each table of sums has all usage, in ms. */
export async function completeFrom({ prisma }: Database): Promise<CompleteFrom> {
  const { sums_from } = await prisma.history_state.findFirstOrThrow();
  const fromMs = sums_from.getTime();
  return {
    usage_day: fromMs,
    usage_hour: Math.max(fromMs, clock.nowMs() - limits.sums.hoursRetentionMs),
  };
}

/** Whose usage. Without a condition, everything is included. */
export interface UsageFilter {
  readonly orgId: string;
  readonly workspaceId: string | null;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly keyId?: string | undefined;
}

const conditionsOf = (
  { orgId, workspaceId, model, provider, keyId }: UsageFilter,
  modelColumn: Prisma.Sql,
): Prisma.Sql =>
  Prisma.join(
    [
      Prisma.sql`org_id = ${orgId}::uuid`,
      ...(workspaceId === null ? [] : [Prisma.sql`workspace_id = ${workspaceId}::uuid`]),
      ...(model === undefined ? [] : [Prisma.sql`${modelColumn} = ${model}`]),
      ...(provider === undefined ? [] : [Prisma.sql`provider = ${provider}`]),
      ...(keyId === undefined ? [] : [Prisma.sql`api_key_id = ${keyId}::uuid`]),
    ],
    " and ",
  );

const requestModel = Prisma.raw("coalesce(model, model_requested)");
const summedModel = Prisma.raw("model");

/** The same columns from each table: `at`, dimensions, counts and costs. `where` has further conditions for requests. */
const readers: Record<
  UsagePiece["table"],
  (filter: UsageFilter, from: string, to: string, where: Prisma.Sql) => Prisma.Sql
> = {
  generation: (filter, from, to, where) => Prisma.sql`
    select started_at as at, ${requestModel} as model, provider, api_key_id, 1::bigint as requests,
      (status = 'failed')::int::bigint as failed, (status = 'cancelled')::int::bigint as cancelled,
      (status = 'interrupted')::int::bigint as interrupted, (${Prisma.raw(hasFallbackSql)})::int::bigint as fallbacks,
      prompt_tokens::bigint as prompt_tokens, completion_tokens::bigint as completion_tokens, cost_pico_usd,
      cost_pico_eur
    from generation
    where ${conditionsOf(filter, requestModel)} and started_at >= ${from}::timestamptz
      and started_at < ${to}::timestamptz and ${where}`,
  usage_hour: (filter, from, to) => Prisma.sql`
    select hour, model, nullif(provider, ''), api_key_id, requests::bigint, failed::bigint, cancelled::bigint,
      interrupted::bigint, fallbacks::bigint, prompt_tokens, completion_tokens, cost_pico_usd, cost_pico_eur
    from usage_hour
    where ${conditionsOf(filter, summedModel)} and hour >= ${from}::timestamptz and hour < ${to}::timestamptz`,
  usage_day: (filter, from, to) => Prisma.sql`
    select day::timestamp at time zone 'UTC', model, nullif(provider, ''), api_key_id, requests, failed, cancelled,
      interrupted, fallbacks, prompt_tokens, completion_tokens, cost_pico_usd, cost_pico_eur
    from usage_day
    where ${conditionsOf(filter, summedModel)} and day >= ${from.slice(0, 10)}::date
      and day < ${to.slice(0, 10)}::date`,
};

/**
 * A subquery over the pieces of a time range with the columns `at`, `model`, `provider`, `api_key_id`, `requests`,
 * `failed`, `cancelled`, `interrupted`, `fallbacks` (null if not counted), `prompt_tokens`, `completion_tokens`,
 * `cost_pico_usd` and `cost_pico_eur`.
 */
export function usageSource(
  filter: UsageFilter,
  pieces: readonly UsagePiece[],
  where: Prisma.Sql = Prisma.sql`true`,
): Prisma.Sql {
  const parts = pieces.map(({ table, fromMs, toMs }) =>
    readers[table](filter, isoTime(fromMs), isoTime(toMs), where),
  );
  // Without any piece: no rows.
  const none = readers.generation(filter, isoTime(0), isoTime(0), where);
  return Prisma.sql`(${Prisma.join(parts.length > 0 ? parts : [none], " union all ")}) as used`;
}

/** The time bucket of a row of `usageSource`, in ms. */
export const bucketColumn = (stepMs: number): Prisma.Sql =>
  Prisma.sql`(floor(extract(epoch from at) * 1000 / ${stepMs}::float8) * ${stepMs}::float8)::float8`;

import type {
  UsageGroup,
  UsageReport,
  UsageReportQuery,
  UsageReportRow,
  UsageSeriesQuery,
  UsageSeriesRow,
} from "#contract/usage-report.ts";
import { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { workspaceOf } from "#server/access/scope.ts";
import { noWorkspace } from "#server/billing/index.ts";
import type { Database } from "#server/db/client.ts";
import { decimalFromPico } from "#server/platform/money.ts";

interface GroupColumn {
  readonly type: "date" | "text" | "uuid";
  /** The column as shown; the placeholder for an empty value becomes null. */
  readonly shown: string;
  /** The placeholder for an empty value. */
  readonly nothing: string;
}

const groupColumns: Record<UsageGroup, GroupColumn> = {
  day: { type: "date", shown: "to_char(day, 'YYYY-MM-DD')", nothing: "" },
  model: { type: "text", shown: "model", nothing: "" },
  provider: { type: "text", shown: "nullif(provider, '')", nothing: "" },
  api_key_id: { type: "uuid", shown: "api_key_id::text", nothing: "" },
  workspace_id: {
    type: "uuid",
    shown: `nullif(workspace_id::text, '${noWorkspace}')`,
    nothing: noWorkspace,
  },
  tag_value: { type: "text", shown: "tag_value", nothing: "" },
};

interface Statement {
  readonly groups: readonly UsageGroup[];
  readonly isFirst: boolean;
  readonly isOfTag: boolean;
}

/**
 * Returns a page of the sums by these groups, in their order, of one workspace or of all. Of a tag, two parameters are
 * its name and value. `after` takes as many parameters as there are groups.
 */
function reportStatement({ groups, isFirst, isOfTag }: Statement): string {
  // The table name is required: a bare name would sort by the output column, but pages are found by the stored one.
  const stored = groups.map((group) => `usage_day.${group}`).join(", ");
  const shown = groups.map((group) => `${groupColumns[group].shown} as ${group}`);
  const later = groups.map((group, at) => `$${at + (isOfTag ? 8 : 6)}::${groupColumns[group].type}`);
  return `
    select ${shown.join(", ")},
      sum(requests)::float8 as requests, sum(errors)::float8 as errors,
      sum(prompt_tokens)::float8 as prompt_tokens, sum(completion_tokens)::float8 as completion_tokens,
      sum(cached_tokens)::float8 as cached_tokens, sum(reasoning_tokens)::float8 as reasoning_tokens,
      sum(search_units)::float8 as search_units, (sum(cost_pico_eur) * 1e-12)::text as cost_eur,
      (sum(cost_pico_usd) * 1e-12)::text as cost_usd, (sum(upstream_pico_usd) * 1e-12)::text as upstream_usd
    from ${isOfTag ? "usage_tag_day as usage_day" : "usage_day"}
    where org_id = $1::uuid and day between $2::date and $3::date
      and ($5::uuid is null or workspace_id = $5::uuid)
      ${isOfTag ? "and tag = $6::text and ($7::text is null or tag_value = $7::text)" : ""}
      ${isFirst ? "" : `and (${stored}) > (${later.join(", ")})`}
    group by ${stored} order by ${stored} limit $4`;
}

/**
 * Returns the usage of the organisation, from sums that are booked with the generations: as fast over millions of
 * requests as over a few. Amounts are exact decimals.
 */
export async function usageReport(
  { statement }: Database,
  caller: Authorized<"activity:read">,
  { from, to, group_by, limit, tag, tag_value: tagValue, after = [] }: UsageReportQuery,
): Promise<UsageReport> {
  const ofTag = tag === undefined ? [] : [tag, tagValue ?? null];
  const text = reportStatement({ groups: group_by, isFirst: after.length === 0, isOfTag: tag !== undefined });
  const values = [caller.orgId, from, to, limit + 1, workspaceOf(caller), ...ofTag, ...after];
  const rows = await statement<UsageReportRow>(text, values);
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1) : undefined;
  const place = last && group_by.map((group) => last[group] ?? groupColumns[group].nothing);
  return { data, next: place ? JSON.stringify(place) : null };
}

/** The number of values of a group that a chart shows separately. */
const seriesMax = 6;

type SeriesSums = Omit<UsageSeriesRow, "cost_eur" | "cost_usd"> & { eur: string; usd: string };

/**
 * Returns the usage of each day of a time span, by the largest values of a group and the sum of the others. The
 * number of days bounds it.
 */
export async function usageSeries(
  { prisma }: Database,
  caller: Authorized<"activity:read">,
  { from, to, group, tag, tag_value: tagValue }: UsageSeriesQuery,
): Promise<UsageSeriesRow[]> {
  const workspaceId = workspaceOf(caller);
  const column = Prisma.raw(`${group}::text`);
  const table = Prisma.raw(tag === undefined ? "usage_day" : "usage_tag_day as usage_day");
  const ofTag =
    tag === undefined
      ? Prisma.empty
      : Prisma.sql`and tag = ${tag} and (${tagValue ?? null}::text is null or tag_value = ${tagValue ?? null}::text)`;
  const within = Prisma.sql`org_id = ${caller.orgId}::uuid and day between ${from}::date and ${to}::date
    and (${workspaceId}::uuid is null or workspace_id = ${workspaceId}::uuid) ${ofTag}`;
  const rows = await prisma.$queryRaw<SeriesSums[]>`
    with greatest_ones as (
      select ${column} as name from ${table} where ${within}
      group by 1 order by sum(cost_pico_eur) desc, sum(requests) desc, 1 limit ${seriesMax}
    )
    select to_char(day, 'YYYY-MM-DD') as day,
      nullif(nullif(greatest_ones.name, ''), '00000000-0000-0000-0000-000000000000') as name,
      greatest_ones.name is null as rest, sum(requests)::float8 as requests,
      sum(prompt_tokens + completion_tokens)::float8 as tokens,
      sum(cost_pico_eur)::text as eur, sum(cost_pico_usd)::text as usd
    from ${table} left join greatest_ones on greatest_ones.name = ${column}
    where ${within} group by 1, greatest_ones.name order by 1, sum(cost_pico_eur) desc, 2`;
  return rows.map(({ eur, usd, ...row }) => ({
    ...row,
    cost_eur: decimalFromPico(BigInt(eur)),
    cost_usd: decimalFromPico(BigInt(usd)),
  }));
}

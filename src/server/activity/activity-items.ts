import type { ActivityItem, ActivityQuery } from "#contract/activity-report.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { workspaceOf } from "#server/access/scope.ts";
import type { Database } from "#server/db/client.ts";
import { clock, dayMs, isoDay } from "#server/platform/clock.ts";
import { found } from "#server/platform/errors.ts";

const daysBack = 30;

interface Sums {
  readonly date: string;
  readonly model: string;
  readonly provider: string;
  readonly workspace_id: string;
  readonly requests: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly reasoning_tokens: number;
  readonly usage: number;
  readonly byok_usage_inference: number;
}

/** Parameters: organisation, first and last day, the caller's workspace, workspace, key hash, user, rows. */
const statement = (byWorkspace: boolean) => `
  select to_char(day, 'YYYY-MM-DD') as date, usage_day.model, provider,
    ${byWorkspace ? "coalesce(workspace.id::text, '')" : "''"} as workspace_id,
    sum(requests)::float8 as requests, sum(prompt_tokens)::float8 as prompt_tokens,
    sum(completion_tokens)::float8 as completion_tokens, sum(reasoning_tokens)::float8 as reasoning_tokens,
    (sum(cost_pico_usd) * 1e-12)::float8 as usage,
    (coalesce(sum(upstream_pico_usd) filter (where is_byok), 0) * 1e-12)::float8 as byok_usage_inference
  from usage_day
  ${byWorkspace ? "left join workspace on workspace.id = usage_day.workspace_id and workspace.org_id = $1::uuid" : ""}
  where usage_day.org_id = $1::uuid and day between $2::date and $3::date
    and ($4::uuid is null or workspace_id = $4::uuid) and ($5::uuid is null or workspace_id = $5::uuid)
    and ($6::text is null or api_key_id in (
      select id from api_key where org_id = $1::uuid and public_id = $6::text))
    and ($7::uuid is null or api_key_id in (
      select id from api_key where org_id = $1::uuid and user_id = $7::uuid))
  group by 1, 2, 3, 4 order by 1 desc, 2, 3, 4 limit $8`;

/**
 * Returns the usage of a day, or of the last 30 days and today, by day, model and provider, newest first. `nameOf`
 * returns the display name of a provider. Throws NOT_FOUND for an unknown key.
 */
export async function activityItems(
  database: Database,
  caller: Authorized<"activity:read">,
  { date, api_key_hash, user_id, workspace_id, group_by, limit }: ActivityQuery,
  nameOf: (provider: string) => string,
): Promise<ActivityItem[]> {
  const { orgId } = caller;
  if (api_key_hash !== undefined) {
    const own = workspaceOf(caller);
    const where = { org_id: orgId, public_id: api_key_hash, ...(own !== null && { workspace_id: own }) };
    found(
      await database.prisma.api_key.findFirst({ where, select: { id: true } }),
      "API key",
      "api_key_hash",
    );
  }
  const nowMs = clock.nowMs();
  const rows = await database.statement<Sums>(statement(group_by === "workspace"), [
    orgId,
    date ?? isoDay(nowMs - daysBack * dayMs),
    date ?? isoDay(nowMs),
    workspaceOf(caller),
    workspace_id ?? null,
    api_key_hash ?? null,
    user_id ?? null,
    limit,
  ]);
  return rows.map(({ provider, workspace_id: workspaceId, ...sums }) => ({
    ...sums,
    model_permaslug: sums.model,
    endpoint_id: `${provider}:${sums.model}`,
    provider_name: provider === "" ? "" : nameOf(provider),
    ...(group_by === "workspace" && { workspace_id: workspaceId }),
  }));
}

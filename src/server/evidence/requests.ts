import type { DataFlowRequest, DataFlowRequests, DataFlowRequestsQuery } from "#contract/data-flows.ts";
import { Prisma } from "#generated/prisma/client.ts";
import { notFound } from "#server/platform/errors.ts";
import { type Auditor, type SelectionDeps, selectionOf } from "./selection.ts";
import { triedColumns, triedOf } from "./tried.ts";

interface RequestRow extends Omit<DataFlowRequest, "started_at"> {
  readonly started_at: Date;
}

/** The rows after a request, newest first. Throws NOT_FOUND if its record does not exist. */
async function olderThan(
  { database }: SelectionDeps,
  { orgId }: Auditor,
  id: string | undefined,
): Promise<Prisma.Sql> {
  if (id === undefined) return Prisma.sql`true`;
  const last = await database.prisma.generation.findFirst({
    where: { id, org_id: orgId },
    select: { started_at: true },
  });
  if (!last) throw notFound("generation", "after");
  // The first condition uses the index; the second one separates rows of the same millisecond.
  return Prisma.sql`(started_at <= ${last.started_at} and (started_at < ${last.started_at} or id > ${id}::uuid))`;
}

/** Returns a page of the requests that match a filter, newest first. Throws NOT_FOUND for an unknown `after`. */
export async function listDataFlowRequests(
  deps: SelectionDeps,
  caller: Auditor,
  { after, limit, ...filter }: DataFlowRequestsQuery,
): Promise<DataFlowRequests> {
  const { selected } = await selectionOf(deps, caller, filter);
  const older = await olderThan(deps, caller, after);
  const rows = await deps.database.prisma.$queryRaw<RequestRow[]>`
    with page as (
      select id, started_at, operation, model, model_requested, status, api_key_id, user_id, user_reference, session_id,
        ${triedColumns}
      from generation where ${selected} and ${older} order by started_at desc, id asc limit ${limit + 1}
    )
    select id, started_at, operation, coalesce(model, model_requested) as model, status, api_key_id, user_id,
      user_reference as end_user, session_id,
      (select coalesce(json_agg(json_build_object('provider', tried.provider, 'endpoint', tried.endpoint,
          'outcome', outcome, 'reached', reached) order by place), '[]')
        from ${triedOf(Prisma.sql`page`)}) as recipients,
      (exists (select from stored_response where org_id = ${caller.orgId}::uuid and id = page.id)
        or exists (select from stored_completion where org_id = ${caller.orgId}::uuid and id = page.id)) as is_stored
    from page order by started_at desc, id asc`;
  const data = rows.slice(0, limit).map((row) => ({ ...row, started_at: row.started_at.toISOString() }));
  return { data, next: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
}

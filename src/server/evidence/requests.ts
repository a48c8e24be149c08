import type { DataFlowRequest, DataFlowRequests, DataFlowRequestsQuery } from "#contract/data-flows.ts";
import { Prisma } from "#generated/prisma/client.ts";
import { notFound } from "#server/platform/errors.ts";
import { beyond, type Place } from "./place.ts";
import { type Auditor, type SelectionDeps, selectionOf } from "./selection.ts";
import { recipientsOf, triedColumns } from "./tried.ts";

interface RequestRow extends Omit<DataFlowRequest, "started_at"> {
  readonly started_at: Date;
}

/** The place of a request of the organisation; null for none. Throws NOT_FOUND if its record does not exist. */
async function placeOf(
  { database }: SelectionDeps,
  { orgId }: Auditor,
  id: string | undefined,
): Promise<Place | null> {
  if (id === undefined) return null;
  const row = await database.prisma.generation.findFirst({
    where: { id, org_id: orgId },
    select: { started_at: true },
  });
  if (!row) throw notFound("generation", "after");
  return { startedAt: row.started_at.toISOString(), id };
}

/** The columns of `generation` that `shownColumns` reads. */
export const requestColumns = Prisma.sql`
  id, started_at, operation, model, model_requested, status, api_key_id, user_id, user_reference, session_id,
  ${triedColumns}`;

/** A request as the API shows it, from a `page` with these columns. */
export const shownColumns = (page: Prisma.Sql): Prisma.Sql => Prisma.sql`
  id, started_at, operation, coalesce(model, model_requested) as model, status, api_key_id, user_id,
  user_reference as end_user, session_id, ${recipientsOf(page)} as recipients`;

/** Returns a page of the requests that match a filter, newest first. Throws NOT_FOUND for an unknown `after`. */
export async function listDataFlowRequests(
  deps: SelectionDeps,
  caller: Auditor,
  { after, limit, ...filter }: DataFlowRequestsQuery,
): Promise<DataFlowRequests> {
  const { selected } = await selectionOf(deps, caller, filter);
  const place = await placeOf(deps, caller, after);
  const rows = await deps.database.prisma.$queryRaw<RequestRow[]>`
    with page as (
      select ${requestColumns} from generation where ${selected} and ${beyond(place)} order by started_at desc, id asc limit ${limit + 1}
    )
    select ${shownColumns(Prisma.sql`page`)},
      (exists (select from stored_response where org_id = ${caller.orgId}::uuid and id = page.id)
        or exists (select from stored_completion where org_id = ${caller.orgId}::uuid and id = page.id)) as is_stored
    from page order by started_at desc, id asc`;
  const data = rows.slice(0, limit).map((row) => ({ ...row, started_at: row.started_at.toISOString() }));
  return { data, next: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
}

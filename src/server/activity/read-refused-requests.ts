import { withoutPersonalNames } from "#contract/personal-names.ts";
import { RefusedRequest, type RefusedRequestQuery } from "#contract/refused-request.ts";
import type { Prisma, PrismaClient } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { ownRows } from "#server/access/scope.ts";
import { isAdministrator } from "#server/accounts/index.ts";
import { type Database, type Page, readPage } from "#server/db/index.ts";
import { found } from "#server/platform/errors.ts";

const reasons = RefusedRequest.pick({ excluded: true, missing_eur: true });

/** The searchable words of an error message. Messages written by other versions are not changed. */
function whyOf(
  reported: Record<string, unknown>,
): Pick<RefusedRequest, "excluded" | "missing_eur" | "metadata"> {
  const { excluded, missing_eur: missing, ...metadata } = reported;
  const known = reasons.safeParse({ excluded: excluded ?? null, missing_eur: missing ?? null });
  return known.success
    ? { ...known.data, metadata }
    : { excluded: null, missing_eur: null, metadata: reported };
}

type Row = Prisma.refused_requestGetPayload<{ omit: typeof unseen }>;
const unseen = { org_id: true, day: true } as const;

const toWire = ({ model, param, first_at, last_at, metadata, ...row }: Row): RefusedRequest => ({
  ...row,
  model: model || null,
  param: param || null,
  first_at: first_at.toISOString(),
  last_at: last_at.toISOString(),
  ...whyOf(metadata as Record<string, unknown>),
});

/** Entries as a caller may see them: without names of other people's rules, unless the caller is an administrator. */
async function shownTo(
  prisma: PrismaClient,
  caller: Authorized<"activity:read">,
  rows: readonly Row[],
): Promise<RefusedRequest[]> {
  const shown = rows.map(toWire);
  if (await isAdministrator(prisma, caller)) return shown;
  const own = await prisma.api_key.findMany({
    where: { org_id: caller.orgId, user_id: caller.userId },
    select: { id: true },
  });
  const keyIds = new Set(own.map(({ id }) => id));
  return shown.map((one) =>
    keyIds.has(one.api_key_id) || !one.excluded
      ? one
      : { ...one, excluded: withoutPersonalNames(one.excluded) },
  );
}

/** Returns one entry of the caller's organisation. Throws NOT_FOUND. */
export async function findRefusedRequest(
  { prisma }: Database,
  caller: Authorized<"activity:read">,
  id: string,
): Promise<RefusedRequest> {
  const row = await prisma.refused_request.findFirst({ where: { id, ...ownRows(caller) }, omit: unseen });
  const [entry] = await shownTo(prisma, caller, row ? [row] : []);
  return found(entry ?? null, "refused request", "id");
}

/** Returns matching refused requests of the caller's organisation, most recent first. */
export async function listRefusedRequests(
  { prisma }: Database,
  caller: Authorized<"activity:read">,
  { limit, offset, from, to, request_id: requestId, ...equal }: RefusedRequestQuery,
): Promise<Page<RefusedRequest>> {
  const where: Prisma.refused_requestWhereInput = {
    ...equal,
    ...ownRows(caller),
    last_at: { ...(from && { gte: from }) },
    first_at: { ...(to && { lt: to }) },
    ...(requestId && { request_ids: { has: requestId } }),
  };
  return readPage(
    { limit, offset },
    {
      rows: (window) =>
        prisma.refused_request.findMany({
          where,
          orderBy: [{ last_at: "desc" }, { id: "asc" }],
          omit: unseen,
          ...window,
        }),
      count: () => prisma.refused_request.count({ where }),
      toWire: (rows) => shownTo(prisma, caller, rows),
    },
  );
}

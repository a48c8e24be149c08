import type { DataFlowFilter, DataFlowRequest } from "#contract/data-flows.ts";
import { Prisma } from "#generated/prisma/client.ts";
import { generationRowOf, receiptHash, type TraceRecipient } from "#server/db/index.ts";
import { isoTime } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { locateGenerations } from "#server/transparency/index.ts";
import { countUnrecorded } from "../data-flows.ts";
import { requestColumns, shownColumns } from "../requests.ts";
import { type SelectionDeps, selectionOf } from "../selection.ts";

/** A request of an evidence package. */
export interface PackagedRequest extends Omit<DataFlowRequest, "is_stored"> {
  /** SHA-256 of the decision in hexadecimal digits; null in records of versions without. */
  readonly decision: string | null;
  /** SHA-256 of the receipt in hexadecimal digits: the hash that is in the transparency log. */
  readonly receiptHash: string;
  /** The destinations that its trace was handed to. */
  readonly destinations: readonly TraceRecipient[];
  /** Index in the transparency log; null if it is not in it. */
  readonly logIndex: number | null;
}

/** The requests of a part of the period. */
export interface PackagedStep {
  /** In pieces, oldest first. */
  readonly pieces: AsyncIterable<readonly PackagedRequest[]>;
  /** Interrupted requests of which no provider is recorded. */
  readonly unrecorded: number;
  /** Where the part ends: requests that began before it are read. */
  readonly until: string;
}

type Listed = Omit<DataFlowRequest, "is_stored" | "started_at"> & { readonly started_at: Date };
interface Selected {
  readonly orgId: string;
  readonly filter: DataFlowFilter;
}

/** Where a part of the period that begins at `filter.from` ends: after some requests of the organisation. */
async function endOfPart(
  { database }: SelectionDeps,
  { orgId, filter: { from, to } }: Selected,
  scannedTogether: number,
): Promise<string> {
  const [last] = await database.prisma.$queryRaw<{ started_at: Date }[]>`
    select started_at from generation where org_id = ${orgId}::uuid
      and started_at >= ${from}::timestamptz and started_at < ${to}::timestamptz
    order by started_at asc offset ${scannedTogether - 1} limit 1`;
  // Requests of one millisecond are never divided.
  return last ? isoTime(last.started_at.getTime() + 1) : to;
}

async function listPart(
  deps: SelectionDeps,
  selected: Selected,
): Promise<{ readonly listed: readonly Listed[]; readonly unrecorded: number }> {
  const { selected: matching, anywhere } = await selectionOf(deps, selected, selected.filter);
  const listed = await deps.database.prisma.$queryRaw<Listed[]>`
    with page as (select ${requestColumns} from generation where ${matching})
    select ${shownColumns(Prisma.sql`page`)} from page order by started_at asc, id asc`;
  return { listed, unrecorded: await countUnrecorded(deps.database, anywhere ?? matching) };
}

async function* withHashes(
  { database }: SelectionDeps,
  orgId: string,
  listed: readonly Listed[],
): AsyncGenerator<readonly PackagedRequest[]> {
  const { readTogether } = limits.evidencePackages;
  const indexes = await locateGenerations(database, orgId, new Set(listed.map(({ id }) => id)));
  for (let at = 0; at < listed.length; at += readTogether) {
    const page = listed.slice(at, at + readTogether);
    const ids = page.map(({ id }) => id);
    const rows = await database.prisma.generation.findMany({ where: { org_id: orgId, id: { in: ids } } });
    const byId = new Map(rows.map((row) => [row.id, row]));
    yield page.flatMap(({ started_at, ...request }) => {
      const row = byId.get(request.id);
      if (!row) return [];
      const { decision_hash: hash } = row;
      const stored = generationRowOf(row);
      return [
        {
          ...{ ...request, started_at: started_at.toISOString() },
          decision: hash && Buffer.from(hash).toString("hex"),
          destinations: stored.destinations ?? [],
          receiptHash: receiptHash(stored),
          logIndex: indexes.get(request.id) ?? null,
        },
      ];
    });
  }
}

/**
 * The requests that match a filter, oldest first, in parts of the period. A part looks at `scannedTogether` requests of
 * the organisation, so that no statement takes long, however long the period is.
 */
export async function* readPackagedRequests(
  deps: SelectionDeps,
  orgId: string,
  filter: DataFlowFilter,
  scannedTogether: number = limits.evidencePackages.scannedTogether,
): AsyncGenerator<PackagedStep> {
  for (let { from } = filter; Date.parse(from) < Date.parse(filter.to); ) {
    const until = await endOfPart(deps, { orgId, filter: { ...filter, from } }, scannedTogether);
    const { listed, unrecorded } = await listPart(deps, { orgId, filter: { ...filter, from, to: until } });
    yield { pieces: withHashes(deps, orgId, listed), unrecorded, until };
    from = until;
  }
}

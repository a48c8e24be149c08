import type { DataFlowFilter, DataFlowRequest } from "#contract/data-flows.ts";
import { generationRowOf, receiptHash, type TraceRecipient } from "#server/db/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { locateGenerations } from "#server/transparency/index.ts";
import { listDataFlowRequests } from "../requests.ts";
import type { Auditor, SelectionDeps } from "../selection.ts";

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

type WithHashes = Omit<PackagedRequest, "logIndex">;

async function withHashes(
  { database }: SelectionDeps,
  orgId: string,
  page: readonly DataFlowRequest[],
): Promise<WithHashes[]> {
  const ids = page.map(({ id }) => id);
  const rows = await database.prisma.generation.findMany({ where: { org_id: orgId, id: { in: ids } } });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return page.flatMap(({ is_stored: _, ...request }) => {
    const row = byId.get(request.id);
    if (!row) return [];
    const { decision_hash: hash } = row;
    const decision = hash && Buffer.from(hash).toString("hex");
    const stored = generationRowOf(row);
    const { destinations = [] } = stored;
    return [{ ...request, decision, destinations, receiptHash: receiptHash(stored) }];
  });
}

/** The requests that match a filter, oldest first. Throws BAD_REQUEST if they are too many for a package. */
export async function readPackagedRequests(
  deps: SelectionDeps,
  caller: Auditor,
  filter: DataFlowFilter,
): Promise<PackagedRequest[]> {
  const { requestsMax } = limits.evidencePackages;
  const found: WithHashes[] = [];
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const page = await listDataFlowRequests(deps, caller, { ...filter, after, limit: limits.lists.rowsMax });
    found.push(...(await withHashes(deps, caller.orgId, page.data)));
    if (found.length > requestsMax)
      throw new AppError(
        "BAD_REQUEST",
        `to: more than ${requestsMax} requests match. Choose a shorter period, or filter`,
        { param: "to" },
      );
    after = page.next ?? undefined;
  }
  const ids = new Set(found.map(({ id }) => id));
  const indexes = await locateGenerations(deps.database, caller.orgId, ids);
  return found.reverse().map((one) => ({ ...one, logIndex: indexes.get(one.id) ?? null }));
}

import { LedgerPage, type LedgerQuery, TransferKind } from "#contract/credit.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { type Database, readColumns } from "#server/db/index.ts";
import { decimalFromPico } from "#server/platform/money.ts";

/**
 * Returns a page of the transfers of the caller's organisation, newest first. Keyset paging; amounts are exact euros.
 */
export async function listTransfers(
  { prisma, reportRow }: Database,
  caller: Authorized<"activity:read", "organisation">,
  { kind, after, limit }: LedgerQuery,
): Promise<LedgerPage> {
  const { orgId } = caller;
  const rows = await prisma.ledger_transfer.findMany({
    where: {
      org_id: orgId,
      ...(kind && { kind }),
      ...(after && {
        // The first condition uses the index; the second one separates rows of the same millisecond.
        created_at: { lte: after.created_at },
        OR: [{ created_at: { lt: after.created_at } }, { id: { lt: after.id } }],
      }),
    },
    orderBy: [{ created_at: "desc" }, { id: "desc" }],
    take: limit + 1,
  });
  const shown = rows.slice(0, limit).map((row) => {
    const { kind: shownKind, problem } = readColumns(row, { kind: [TransferKind, "adjustment"] });
    if (problem !== null) reportRow("ledger_transfer", row.id, problem);
    const amount = BigInt(row.amount_pico_eur.toFixed(0));
    return {
      id: row.id,
      created_at: row.created_at.toISOString(),
      kind: shownKind,
      amount_eur: decimalFromPico(row.to_account === "credits" ? amount : -amount),
      reason: row.reason,
    };
  });
  const last = shown.at(-1);
  return LedgerPage.parse({
    data: shown,
    next: last && rows.length > limit ? { created_at: last.created_at, id: last.id } : null,
  });
}

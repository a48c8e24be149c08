import type { ManagedOrganisation, ManagedOrganisationQuery } from "#contract/organisation.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import { suspensionOf } from "#server/access/suspension.ts";
import { containing, type Database, type Page, readPage, type Tx } from "#server/db/index.ts";
import { found } from "#server/platform/errors.ts";
import { decimalFromPico } from "#server/platform/money.ts";
import { type Operator, operatorOrganisation } from "./operator.ts";

const columns = {
  id: true,
  name: true,
  slug: true,
  plan: true,
  suspended_at: true,
  suspended_reason: true,
  created_at: true,
  _count: { select: { members: { where: { user: { kind: "person" } } } } },
  members: { where: { role: "owner", disabled: false }, select: { id: true } },
} as const satisfies Prisma.organisationSelect;
type Row = Prisma.organisationGetPayload<{ select: typeof columns }>;

/** Returns the remaining credit, in pico-EUR, of those organisations that have a balance. */
async function balancesOf(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  const rows = await tx.credit_balance.findMany({
    where: { account_id: { in: [...ids] } },
    select: { account_id: true, granted_pico_eur: true, used_pico_eur: true },
  });
  return new Map(
    rows.map((row) => [row.account_id, BigInt(row.granted_pico_eur.minus(row.used_pico_eur).toFixed(0))]),
  );
}

async function toWire(tx: Tx, rows: readonly Row[]): Promise<ManagedOrganisation[]> {
  const ids = rows.map(({ id }) => id);
  const [balances, operator] = await Promise.all([balancesOf(tx, ids), operatorOrganisation(tx)]);
  return rows.map(({ _count, members, created_at, suspended_at, suspended_reason, ...row }) => {
    const suspension = suspensionOf({ suspended_at, suspended_reason });
    return {
      ...row,
      state: suspension ? "suspended" : "active",
      suspended_at: suspension?.since ?? null,
      suspended_reason: suspension?.reason ?? null,
      people: _count.members,
      owners: members.length,
      balance: decimalFromPico(balances.get(row.id) ?? 0n, 6),
      is_operator: row.id === operator?.id,
      created_at: created_at.toISOString(),
    };
  });
}

/** Returns one organisation as the operator sees it. Throws NOT_FOUND. */
export async function managedOrganisation(tx: Tx, id: string): Promise<ManagedOrganisation> {
  const row = await tx.organisation.findUnique({ where: { id }, select: columns });
  const [shown] = row ? await toWire(tx, [row]) : [];
  return found(shown, "organisation", "id");
}

/** Returns every organisation of the installation, oldest first, for the operator. */
export async function listOrganisations(
  database: Database,
  _operator: Operator<"organisations:write">,
  { search, ...paging }: ManagedOrganisationQuery,
): Promise<Page<ManagedOrganisation>> {
  const { prisma } = database;
  const where = search === undefined ? {} : { name: containing(search) };
  return readPage(paging, {
    rows: (window) =>
      prisma.organisation.findMany({
        where,
        select: columns,
        orderBy: [{ created_at: "asc" }, { id: "asc" }],
        ...window,
      }),
    count: () => prisma.organisation.count({ where }),
    toWire: (rows) => toWire(prisma, rows),
  });
}

export async function getOrganisation(
  database: Database,
  _operator: Operator<"organisations:write">,
  id: string,
): Promise<ManagedOrganisation> {
  return managedOrganisation(database.prisma, id);
}

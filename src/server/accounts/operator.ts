import { type Caller, demand } from "#server/auth/caller.ts";
import type { OrganisationCaller } from "#server/auth/scope.ts";
import type { Database, Tx } from "#server/db/client.ts";
import { AppError } from "#server/platform/errors.ts";

/** The organisation the installation was set up with; null before that. */
const operatorOrganisation = ({ organisation }: Pick<Tx, "organisation">) =>
  organisation.findFirst({ orderBy: [{ created_at: "asc" }, { id: "asc" }], select: { id: true } });

/** The program itself, acting for the organisation that runs the installation; null before there is one. */
export async function operatorSystem(tx: Tx): Promise<Caller | null> {
  const first = await operatorOrganisation(tx);
  return first && { kind: "system", orgId: first.id, userId: first.id, permissions: new Set() };
}

/**
 * Demands somebody who runs the installation: may change billing, in the organisation it was set up with. What
 * they change (prices, an organisation's credit) concerns all organisations, whose own owners must not.
 */
export async function demandOperator(
  database: Database,
  caller: OrganisationCaller | null,
): Promise<OrganisationCaller> {
  const known = demand(caller, "billing:write");
  if (await isOperator(database, known)) return known;
  throw new AppError("FORBIDDEN", "Only the organisation that runs this installation may do this");
}

/** Whether `demandOperator` would let this caller in. */
export async function isOperator(database: Database, caller: Caller): Promise<boolean> {
  if (!caller.permissions.has("billing:write")) return false;
  return (await operatorOrganisation(database.prisma))?.id === caller.orgId;
}

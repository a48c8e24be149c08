import { type Caller, demand } from "#server/access/caller.ts";
import type { Grant } from "#server/access/grants.ts";
import type { OrganisationCaller } from "#server/access/scope.ts";
import type { Database, Tx } from "#server/db/client.ts";
import { AppError } from "#server/platform/errors.ts";

/** The organisation the installation was set up with; null before that. */
export const operatorOrganisation = ({ organisation }: Pick<Tx, "organisation">) =>
  organisation.findFirst({ orderBy: [{ created_at: "asc" }, { id: "asc" }], select: { id: true } });

/** The program itself, acting for the organisation that runs the installation; null before there is one. */
export async function operatorSystem(tx: Tx): Promise<Caller | null> {
  const first = await operatorOrganisation(tx);
  return first && { kind: "system", orgId: first.id, userId: first.id, permissions: new Set() };
}

/** What only who runs the installation may do: it concerns all organisations, whose own owners must not. */
export type OperatorPermission = "billing:write" | "organisations:write";

/** What asking for the owner of an organisation takes: the permission, of a person or of a key without limits. */
export const ownerByOperator: Grant = { permissions: ["organisations:write"], withBounds: false };

/** Demands somebody who runs the installation: has the permission, in the organisation it was set up with. */
export async function demandOperator(
  database: Database,
  caller: OrganisationCaller | null,
  permission: OperatorPermission = "billing:write",
): Promise<OrganisationCaller> {
  const known = demand(caller, permission);
  if (await isOperator(database, known, permission)) return known;
  throw new AppError("FORBIDDEN", "Only the organisation that runs this installation may do this");
}

/** Whether `demandOperator` would let this caller in. */
export async function isOperator(
  database: Database,
  caller: Caller,
  permission: OperatorPermission = "billing:write",
): Promise<boolean> {
  if (!caller.permissions.has(permission)) return false;
  return (await operatorOrganisation(database.prisma))?.id === caller.orgId;
}

import type { Authorized } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import type { Grant } from "#server/access/grants.ts";
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

declare const operator: unique symbol;

/** Who runs the installation: has the permission, in the organisation it was set up with. */
export type Operator<P extends OperatorPermission> = Authorized<P, "organisation"> & {
  readonly [operator]: true;
};

/** Throws FORBIDDEN for who is of another organisation than the one that runs the installation. */
export async function authorizeOperator<P extends OperatorPermission>(
  database: Database,
  caller: Authorized<P, "organisation">,
): Promise<Operator<P>> {
  // The one place that gives out the brand.
  if (await isOfOperator(database, caller)) return caller as Operator<P>;
  throw new AppError("FORBIDDEN", "Only the organisation that runs this installation may do this");
}

const isOfOperator = async ({ prisma }: Database, { orgId }: Caller): Promise<boolean> =>
  (await operatorOrganisation(prisma))?.id === orgId;

/** Whether `authorizeOperator` lets this caller in, for everything there is to run. */
export const isOperator = async (database: Database, caller: Caller): Promise<boolean> =>
  caller.permissions.has("billing:write") && (await isOfOperator(database, caller));

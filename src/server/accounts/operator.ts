import type { Authorized } from "#server/access/authorize.ts";
import { type Caller, type SystemCaller, systemOf } from "#server/access/caller.ts";
import type { Grant } from "#server/access/grants.ts";
import type { Database, Tx } from "#server/db/client.ts";
import { AppError } from "#server/platform/errors.ts";

/** The organisation that was set up first, which runs the installation; null before the first start. */
export const operatorOrganisation = ({ organisation }: Pick<Tx, "organisation">) =>
  organisation.findFirst({ orderBy: [{ created_at: "asc" }, { id: "asc" }], select: { id: true } });

/** The program itself, acting for the organisation that runs the installation; null before the first start. */
export async function operatorSystem(tx: Tx): Promise<SystemCaller | null> {
  const first = await operatorOrganisation(tx);
  return first && systemOf(first.id);
}

/** What only the organisation that runs the installation may do, because it affects all organisations. */
export type OperatorPermission = "billing:write" | "organisations:write";

/** What inviting an owner of an organisation requires: the permission, of a person or of a key without limits. */
export const ownerByOperator: Grant = { permissions: ["organisations:write"], withBounds: false };

declare const operator: unique symbol;

/** A caller with the permission, in the organisation that runs the installation. */
export type Operator<P extends OperatorPermission> = Authorized<P, "organisation"> & {
  readonly [operator]: true;
};

/** Who may change the credit of organisations: the operator, and the program itself. */
export type CreditManager = SystemCaller | Operator<"billing:write"> | Operator<"organisations:write">;

/** Returns the authorised operator. Throws FORBIDDEN for callers of other organisations. */
export async function authorizeOperator<P extends OperatorPermission>(
  database: Database,
  caller: Authorized<P, "organisation">,
): Promise<Operator<P>> {
  // The only place that makes authorised operators.
  if (await isOfOperator(database, caller)) return caller as Operator<P>;
  throw new AppError("FORBIDDEN", "Only the organisation that runs this installation may do this");
}

const isOfOperator = async ({ prisma }: Database, { orgId }: Caller): Promise<boolean> =>
  (await operatorOrganisation(prisma))?.id === orgId;

/** Whether `authorizeOperator` accepts this caller for every operator permission. */
export const isOperator = async (database: Database, caller: Caller): Promise<boolean> =>
  caller.permissions.has("billing:write") && (await isOfOperator(database, caller));

import { AppError } from "#server/platform/errors.ts";
import { type Caller, requireCaller } from "./caller.ts";
import type { Permission } from "./permissions.ts";
import { type RowScope, type ScopedCaller, scopedCaller } from "./scope.ts";

declare const granted: unique symbol;

/** Exists in types only: what a caller was authorised for. */
interface Granted<P extends Permission> {
  readonly [granted]: { readonly [Q in P]: true };
}

/**
 * A caller who was found to have a permission, and to act for the whole organisation where rows are that. Only
 * `authorize` makes one, so calling a function that takes one without asking does not compile.
 */
export type Authorized<P extends Permission, Scope extends RowScope = "workspace"> = ScopedCaller<Scope> &
  Granted<P>;

/**
 * The gate in front of the domain: called where requests come in, not by domain functions. Throws UNAUTHORIZED without
 * a caller, FORBIDDEN without the permission or for a key of a workspace where rows are the organisation's.
 */
export function authorize<P extends Permission, Scope extends RowScope>(
  caller: Caller | null,
  permission: P,
  scope: Scope,
): Authorized<P, Scope> {
  const known = requireCaller(caller);
  if (!known.permissions.has(permission)) {
    throw new AppError("FORBIDDEN", `This needs the permission ${permission}`, { metadata: { permission } });
  }
  // The one place that gives out the brand.
  return scopedCaller(known, scope) as Authorized<P, Scope>;
}

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
 * A caller that was checked for a permission and, for rows of the organisation, acts for the whole organisation. Only
 * `authorize` makes one, so a function that takes one cannot be called without the check.
 */
export type Authorized<P extends Permission, Scope extends RowScope = "workspace"> = ScopedCaller<Scope> &
  Granted<P>;

/**
 * Checks a caller at the edge; domain functions do not check again. Returns the authorised caller. Throws
 * UNAUTHORIZED without a caller, FORBIDDEN without the permission or for a key of a workspace if the rows are the
 * organisation's.
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
  // The only place that makes authorised callers.
  return scopedCaller(known, scope) as Authorized<P, Scope>;
}

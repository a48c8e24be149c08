import { AppError } from "#server/platform/errors.ts";
import type { Caller } from "./caller.ts";

type KeyCaller = Extract<Caller, { kind: "key" }>;

/** A caller that acts for its organisation as a whole: nobody whose key belongs to a workspace. */
export type OrganisationCaller = Exclude<Caller, KeyCaller> | (KeyCaller & { readonly workspaceId: null });

const isOrganisationWide = (caller: Caller): caller is OrganisationCaller => workspaceOf(caller) === null;

/**
 * Where the rows of an operation stand, which decides what a key of a workspace may do with it.
 * - `organisation`: with the organisation as a whole. Such a key is refused.
 * - `workspace`: in workspaces. Such a key finds those of its own; the queries see to it by `workspaceOf`.
 * - `none`: nowhere. The catalogue, what the installation is set to, or the caller itself.
 */
export type RowScope = "organisation" | "workspace" | "none";

/** The workspace a caller is confined to; null for who acts for the whole organisation. */
export const workspaceOf = (caller: Caller): string | null =>
  caller.kind === "key" ? caller.workspaceId : null;

/** The caller's rows of a table that has both columns, as a condition. */
export const ownRows = (caller: Caller): { org_id: string; workspace_id?: string } => {
  const workspaceId = workspaceOf(caller);
  return { org_id: caller.orgId, ...(workspaceId !== null && { workspace_id: workspaceId }) };
};

/** What a key of a workspace is told where something concerns more than that. */
export const beyondWorkspace = (param?: string): AppError =>
  new AppError(
    "FORBIDDEN",
    `${param ? `${param}: ` : ""}this concerns the whole organisation, and your key belongs to a workspace of it`,
    { ...(param && { param }) },
  );

/** A caller as operations of a scope get it: where rows are the organisation's, one that acts for all of it. */
export type ScopedCaller<Scope extends RowScope> = Scope extends "organisation" ? OrganisationCaller : Caller;

/** Throws FORBIDDEN for a key of a workspace where rows are the organisation's. */
export function scopedCaller<Scope extends RowScope>(caller: Caller, scope: Scope): ScopedCaller<Scope> {
  if (scope === "organisation" && !isOrganisationWide(caller)) throw beyondWorkspace();
  // Of a conditional type the compiler proves neither branch.
  return caller as ScopedCaller<Scope>;
}

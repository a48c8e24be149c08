import { AppError } from "#server/platform/errors.ts";
import type { Caller } from "./caller.ts";

type KeyCaller = Extract<Caller, { kind: "key" }>;

/** A caller that acts for the whole organisation: a key of a workspace never does. */
export type OrganisationCaller = Exclude<Caller, KeyCaller> | (KeyCaller & { readonly workspaceId: null });

const isOrganisationWide = (caller: Caller): caller is OrganisationCaller => workspaceOf(caller) === null;

/**
 * Where the rows of an operation belong, which decides what a key of a workspace may do with it.
 * - `organisation`: to the whole organisation. Such a key is refused.
 * - `workspace`: to workspaces. Such a key finds those of its own workspace; queries apply `workspaceOf`.
 * - `none`: to neither. The catalogue, settings of the installation, or the caller itself.
 */
export type RowScope = "organisation" | "workspace" | "none";

/** The workspace a caller is restricted to; null if it acts for the whole organisation. */
export const workspaceOf = (caller: Caller): string | null =>
  caller.kind === "key" ? caller.workspaceId : null;

/** The caller's rows of a table that has both columns, as a condition. */
export const ownRows = (caller: Caller): { org_id: string; workspace_id?: string } => {
  const workspaceId = workspaceOf(caller);
  return { org_id: caller.orgId, ...(workspaceId !== null && { workspace_id: workspaceId }) };
};

/** The refusal of a key of a workspace where the whole organisation is concerned. */
export const beyondWorkspace = (param?: string): AppError =>
  new AppError(
    "FORBIDDEN",
    `${param ? `${param}: ` : ""}this concerns the whole organisation, and your key belongs to a workspace of it`,
    { ...(param && { param }) },
  );

/** The caller type for a scope: for rows of the organisation, a caller that acts for all of it. */
export type ScopedCaller<Scope extends RowScope> = Scope extends "organisation" ? OrganisationCaller : Caller;

/** Throws FORBIDDEN for a key of a workspace where rows are the organisation's. */
export function scopedCaller<Scope extends RowScope>(caller: Caller, scope: Scope): ScopedCaller<Scope> {
  if (scope === "organisation" && !isOrganisationWide(caller)) throw beyondWorkspace();
  // The compiler cannot check either branch of a conditional type.
  return caller as ScopedCaller<Scope>;
}

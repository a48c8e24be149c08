import { hash } from "node:crypto";
import type { ConfigurationPlan, ConfigurationPlanRequest } from "#contract/configuration.ts";
import { isAdministrator } from "#server/accounts/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { type Desired, type DesiredResource, readDesired } from "./desired.ts";
import { kindNamed, kinds } from "./kinds.ts";
import { brokenEntries, changedParts, laterOf } from "./later-file.ts";
import { type Change, type CurrentResource, type Plan, plan } from "./plan.ts";
import type { FileProblem, ReadFile } from "./read-file.ts";
import { referencesOf } from "./references.ts";
import type { Session } from "./session.ts";
import { readState } from "./state.ts";
import { canonicalText } from "./values.ts";

export interface PlannedFile {
  /** The session with the catalogue as the file wants it. */
  readonly session: Session;
  readonly digest: string;
  readonly changes: readonly Change[];
  readonly unlisted: readonly CurrentResource[];
  readonly current: readonly CurrentResource[];
  /** The resource of the file behind a change. */
  desiredOf(change: Change): DesiredResource;
  /** References of secrets whose values were not sent. */
  readonly missing: readonly string[];
}

/**
 * Only who sees all of the organisation can describe it. Throws FORBIDDEN for others, and for a key with a spending
 * limit, which sees only the keys that it created.
 */
export async function assertSeesAll({
  database,
  caller,
}: Pick<Session, "database" | "caller">): Promise<void> {
  if (!(await isAdministrator(database.prisma, caller)))
    throw new AppError(
      "FORBIDDEN",
      "Only owners and admins can read and change the configuration as a whole",
    );
  if (caller.kind === "key" && caller.budgets.some(({ owner }) => owner === "key"))
    throw new AppError(
      "FORBIDDEN",
      "A key with a spending limit sees only the keys that it created; use a key without a limit",
    );
}

/** Throws FORBIDDEN if the caller may not make one of the changes. */
export function assertMayApply(session: Session, changes: readonly Change[]): void {
  for (const { kind, permissions } of kinds) {
    const actions = changes.filter((change) => change.kind === kind).map(({ action }) => action);
    if (actions.length > 0) session.as(permissions.write);
    if (actions.some((action) => action === "delete" || action === "replace")) session.as(permissions.delete);
  }
}

/** Kinds of which there would be more than there may be. */
function tooMany(sections: Desired["sections"], { unlisted }: Plan, prune: boolean): FileProblem[] {
  return kinds.flatMap(({ kind, countMax = Number.POSITIVE_INFINITY }) => {
    const staying = prune ? 0 : unlisted.filter((one) => one.kind === kind).length;
    const count = (sections[kind]?.length ?? 0) + staying;
    if (count <= countMax) return [];
    return [{ path: [kind], message: `there may be ${countMax} at most, and there would be ${count}` }];
  });
}

/** Compares a file with the current state. Throws BAD_REQUEST that names the lines of all problems. */
export async function planFile(
  file: ReadFile,
  before: Session,
  { prune, workspace = null }: Pick<ConfigurationPlanRequest, "prune" | "workspace">,
): Promise<PlannedFile> {
  await assertSeesAll(before);
  const state = await readState(
    before,
    workspace,
    // Without the permission for a kind that the file does not have, what else refers to it is not seen.
    ({ kind, permissions }) =>
      file.sections[kind] !== undefined || before.caller.permissions.has(permissions.read),
  );
  const changed = changedParts(file, state, prune);
  const session = { ...before, later: laterOf(before, state, changed) };
  if (
    workspace !== null &&
    session.names.isUnknown("workspaces", workspace) &&
    !hasWorkspace(file, workspace)
  )
    throw new AppError("BAD_REQUEST", `workspace: there is no workspace "${workspace}"`, {
      param: "workspace",
    });
  const { sections, problems } = await readDesired(file, session, state, workspace);
  if (problems.length > 0) throw file.refusal(problems);
  const all = kinds.flatMap(({ kind }) => sections[kind] ?? []);
  const byKey = new Map(all.map((resource) => [`${resource.kind} ${resource.key}`, resource]));
  const found = plan(kinds, sections, state.resources, { prune });
  const unsound = found.problems.map(({ kind, key, field, message }): FileProblem => {
    const path = byKey.get(`${kind} ${key}`)?.path;
    if (path) return { path: [...path, ...(field?.split(".") ?? [])], message };
    return { path: [], message: `${kind} "${key}", which stays, ${message}` };
  });
  unsound.push(...tooMany(sections, found, prune), ...brokenEntries(session, state, changed));
  if (unsound.length > 0) throw file.refusal(unsound);
  const { changesMax } = limits.configuration;
  if (found.changes.length > changesMax)
    throw file.refusal([{ path: [], message: `has ${found.changes.length} changes; ${changesMax} at most` }]);
  const compared = state.resources.filter(
    ({ kind }) => sections[kind as keyof typeof sections] !== undefined,
  );
  const text = canonicalText({
    prune,
    workspace,
    wanted: all.map(({ kind, key, values, given }) => ({ kind, key, values, given })),
    current: compared.map(({ kind, key, id, values }) => ({ kind, key, id, values })),
    changes: found.changes.map(({ kind, key, action, fields }) => ({ kind, key, action, fields })),
  });
  return {
    session,
    digest: hash("sha256", text, "hex"),
    changes: found.changes,
    unlisted: found.unlisted,
    current: state.resources,
    missing: [...new Set(all.flatMap(({ kind, given }) => referencesOf(kindNamed(kind), given)))].filter(
      (reference) => !session.secrets.has(reference),
    ),
    desiredOf({ kind, key }) {
      const resource = byKey.get(`${kind} ${key}`);
      if (!resource) throw new RangeError(`The file has no ${kind} ${key}`);
      return resource;
    },
  };
}

const hasWorkspace = ({ sections }: ReadFile, name: string): boolean =>
  sections.workspaces?.some((workspace) => workspace.name === name) ?? false;

const actions = ["create", "update", "replace", "delete"] as const;

/** The changes as the API shows them. */
export function shownChanges({ digest, changes }: Pick<PlannedFile, "digest" | "changes">) {
  const count = (action: string) => changes.filter((change) => change.action === action).length;
  return {
    digest,
    changes: changes.map(({ kind, name, action, fields }) => ({
      kind,
      name,
      action,
      fields: fields.map(({ field, before, after }) => ({ field, before, after })),
    })),
    summary: Object.fromEntries(
      actions.map((action) => [action, count(action)]),
    ) as ConfigurationPlan["summary"],
  };
}

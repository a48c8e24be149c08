import { ZodError } from "zod";
import type {
  AppliedConfiguration,
  ConfigurationApplyRequest,
  ConfigurationExportQuery,
  ConfigurationPlan,
  ConfigurationPlanRequest,
} from "#contract/configuration.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { changeConfiguration } from "#server/audit/change.ts";
import { withPlan } from "#server/audit/origin.ts";
import { lockAuditChain } from "#server/audit/record.ts";
import { inBackground, joined, namingConflict } from "#server/db/index.ts";
import { AppError, validationError } from "#server/platform/errors.ts";
import type { SimulationDeps } from "#server/policy/index.ts";
import { consequencesOf } from "./consequences/consequences.ts";
import { deferring } from "./deferred-queue.ts";
import { kindNamed, kinds } from "./kinds.ts";
import type { Change } from "./plan.ts";
import { assertMayApply, assertSeesAll, type PlannedFile, planFile, shownChanges } from "./plan-file.ts";
import { type ReadFile, readFile } from "./read-file.ts";
import { referencesOf, withReferences } from "./references.ts";
import { type Session, type SessionDeps, sessionFor } from "./session.ts";
import { isReferred, readState } from "./state.ts";
import { writeFile } from "./write-file.ts";

/** The areas that it reads and changes, with the engine that evaluates recorded requests. */
export interface ConfigurationDeps extends SimulationDeps, SessionDeps {}

/** The configuration of the organisation, or of one workspace, as a file in canonical form. */
export async function exportConfiguration(
  deps: ConfigurationDeps,
  caller: Authorized<"workspaces:read", "organisation">,
  { workspace: named }: ConfigurationExportQuery,
): Promise<string> {
  const workspace = named ?? null;
  const session = sessionFor(deps, caller);
  await assertSeesAll(session);
  const { resources } = await readState(session, workspace, () => true);
  if (workspace !== null && session.names.isUnknown("workspaces", workspace))
    throw new AppError("NOT_FOUND", `There is no workspace "${workspace}"`, { param: "workspace" });
  const taken = new Set<string>();
  return writeFile(
    kinds.map(({ kind, comment, form }) => ({
      kind,
      comment,
      fields: form.fields,
      resources: resources
        .filter((resource) => resource.kind === kind && !resource.isKept)
        .sort((one, other) => (one.key < other.key ? -1 : 1))
        .map(({ values }) => withReferences(kindNamed(kind), values, taken)),
    })),
  );
}

/** One change, by the function that REST and the console call. Returns the key that was generated. */
async function applyChange(
  session: Session,
  planned: PlannedFile,
  change: Change,
): Promise<string | undefined> {
  const kind = kindNamed(change.kind);
  if (change.current && change.action !== "update") await kind.remove(session, change.current.id);
  if (change.action === "delete") return undefined;
  const { given } = planned.desiredOf(change);
  if (change.current && change.action === "update") {
    const changed = new Set(change.fields.map(({ field }) => field.split(".")[0] ?? field));
    await kind.update(session, { id: change.current.id, values: given, changed });
    return undefined;
  }
  const { id, key } = await kind.create(session, given);
  if (isReferred(change.kind)) session.names.add(change.kind, change.key, id);
  return key;
}

/** The same, where an error names the resource. */
async function applyNamed(
  session: Session,
  planned: PlannedFile,
  change: Change,
): Promise<string | undefined> {
  try {
    return await applyChange(session, planned, change);
  } catch (thrown) {
    // The value of a secret can be invalid, which is not known before it is sent.
    const error = thrown instanceof ZodError ? validationError(thrown) : namingConflict(thrown);
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    const { code, message, metadata, headers } = error;
    const named = `${change.kind}, "${change.name}": ${message}`;
    throw new AppError(code, named, { param: "file", metadata, headers, cause: thrown });
  }
}

const anotherPlan = (digest: string): AppError =>
  new AppError("CONFLICT", "digest: the file or the current state is not that of the plan; plan again", {
    param: "digest",
    metadata: { digest },
  });

const missingSecret = (references: readonly string[]): AppError =>
  new AppError("BAD_REQUEST", `secrets: there is no value for ${references.join(", ")}`, {
    param: "secrets",
    metadata: { references },
  });

/** Throws BAD_REQUEST if a resource is to be created and the value of one of its secrets is not known. */
function assertSecrets({ changes, missing, desiredOf }: PlannedFile): void {
  const created = changes.filter(({ action }) => action === "create" || action === "replace");
  const needed = missing.filter((reference) =>
    created.some((change) =>
      referencesOf(kindNamed(change.kind), desiredOf(change).given).includes(reference),
    ),
  );
  if (needed.length > 0) throw missingSecret(needed);
}

/**
 * Makes all changes of a file, or none. Every change has its audit row with the digest of the plan. Throws CONFLICT if
 * the plan is not the one with the digest of the request.
 */
export async function applyConfiguration(
  deps: ConfigurationDeps,
  caller: Authorized<"workspaces:write", "organisation">,
  request: ConfigurationApplyRequest,
): Promise<AppliedConfiguration> {
  const file = readFile(request.file);
  // Many changes take longer than a single one may.
  return inBackground(async () => {
    const { applied, jobs } = await changeConfiguration(
      deps.database,
      caller,
      "configuration.apply",
      async (tx) => {
        await lockAuditChain(tx, caller.orgId);
        const jobs = deferring(deps.destinations.queue);
        const joint = {
          ...deps,
          database: joined(deps.database, tx),
          destinations: { ...deps.destinations, queue: jobs.queue },
          alerts: { ...deps.alerts, queue: jobs.queue },
        };
        const applied = await applyIn(sessionFor(joint, caller, request.secrets), file, request);
        const { summary, digest, changes } = applied;
        const after = { ...summary, workspace: request.workspace ?? null, plan_digest: digest };
        const audit = changes.length === 0 ? null : { id: caller.orgId, after };
        return { result: { applied, jobs }, audit };
      },
    );
    await jobs.run();
    return applied;
  });
}

/** The same as a part of a transaction. */
async function applyIn(
  before: Session,
  file: ReadFile,
  request: ConfigurationApplyRequest,
): Promise<AppliedConfiguration> {
  const planned = await planFile(file, before, request);
  const { session, digest, changes } = planned;
  if (request.digest !== null && request.digest !== digest) throw anotherPlan(digest);
  assertMayApply(session, changes);
  assertSecrets(planned);
  return withPlan(digest, async () => {
    const keys: AppliedConfiguration["keys"] = [];
    for (const change of changes) {
      const key = await applyNamed(session, planned, change);
      if (key !== undefined) keys.push({ name: change.name, key });
    }
    return { ...shownChanges(planned), keys };
  });
}

/** What a file would change, and what past traffic would have done differently. Changes nothing. */
export async function planConfiguration(
  deps: ConfigurationDeps,
  caller: Authorized<"workspaces:read", "organisation">,
  request: ConfigurationPlanRequest,
): Promise<ConfigurationPlan> {
  const file = readFile(request.file);
  // The traffic of a month takes longer than a single query.
  return inBackground(async () => {
    const planned = await planFile(file, sessionFor(deps, caller, request.secrets), request);
    return {
      ...shownChanges(planned),
      unlisted: planned.unlisted.map(({ kind, name }) => ({ kind, name })),
      secrets: [...planned.missing],
      ...(await consequencesOf(deps, planned)),
    };
  });
}

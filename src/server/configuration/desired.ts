import type { Values } from "#contract/configuration-form.ts";
import type { ConfigurationKind } from "#contract/configuration-kinds.ts";
import { AppError } from "#server/platform/errors.ts";
import type { Kind } from "./kind.ts";
import { kindNamed, kinds } from "./kinds.ts";
import type { Resource } from "./plan.ts";
import type { FileProblem, Path, ReadFile } from "./read-file.ts";
import type { Session } from "./session.ts";
import { isReferred, type State } from "./state.ts";
import { canonical } from "./values.ts";

/** A resource of the file: what is compared, and what is applied. */
export interface DesiredResource extends Resource {
  /** As the file has it, with references in place of secrets. */
  readonly given: Values;
  readonly path: Path;
}

export interface Desired {
  readonly sections: Partial<Record<ConfigurationKind, readonly DesiredResource[]>>;
  readonly problems: readonly FileProblem[];
}

const within = (path: Path, error: AppError): FileProblem => {
  const prefix = `${error.param}: `;
  const message = error.message.startsWith(prefix) ? error.message.slice(prefix.length) : error.message;
  return { path: [...path, ...(error.param?.split(".") ?? [])], message };
};

async function readResource(
  { session, state, workspace }: { session: Session; state: State; workspace: string | null },
  kind: Kind,
  given: Values,
  path: Path,
): Promise<DesiredResource | FileProblem> {
  const identified = kind.identify(canonical({ ...kind.defaults, ...given }, {}));
  if (state.ambiguous.has(`${kind.kind} ${identified.key}`))
    return { path: [...path, "name"], message: "several existing ones have this name; rename them first" };
  if (workspace !== null && kind.workspaceOf(given) !== workspace)
    return {
      path,
      message: `does not belong to the workspace "${workspace}", and only its resources are changed`,
    };
  const current = state.resources.find((one) => one.kind === kind.kind && one.key === identified.key);
  try {
    kind.form.input(given, (to, name, place) => {
      // Resources may be in the file; the plan checks these.
      if (!isReferred(to)) session.names.idOf(to, name, place);
      return name;
    });
    const values = await kind.comparable(session, given, current);
    return {
      ...identified,
      kind: kind.kind,
      given,
      path,
      values: canonical(values, kind.defaults, kind.exact),
      references: state.referencesOf(kind, given),
    };
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return within(path, error);
    throw error;
  }
}

/** The resources of a file in the form in which they are compared, and what is wrong with them. */
export async function readDesired(
  file: ReadFile,
  session: Session,
  state: State,
  workspace: string | null,
): Promise<Desired> {
  const sections: Partial<Record<ConfigurationKind, DesiredResource[]>> = {};
  const problems: FileProblem[] = [];
  const known = new Set<string>();
  for (const { kind } of kinds) {
    const section = file.sections[kind];
    if (!section) continue;
    const resources: DesiredResource[] = [];
    sections[kind] = resources;
    for (const [at, given] of section.entries()) {
      const read = await readResource({ session, state, workspace }, kindNamed(kind), given, [kind, at]);
      if (!("key" in read)) problems.push(read);
      else if (known.has(`${kind} ${read.key}`))
        problems.push({ path: [kind, at, "name"], message: "is repeated in the file" });
      else resources.push(read);
      if ("key" in read) known.add(`${kind} ${read.key}`);
    }
  }
  return { sections, problems };
}

import type { Referred, Values } from "#contract/configuration-form.ts";
import type { Found, Kind } from "./kind.ts";
import { kinds } from "./kinds.ts";
import type { CurrentResource, Reference } from "./plan.ts";
import type { Session } from "./session.ts";
import { canonical } from "./values.ts";

export interface State {
  readonly resources: readonly CurrentResource[];
  /** `kind key` of resources that share their name with another one, so that a file cannot describe them. */
  readonly ambiguous: ReadonlySet<string>;
  /** The resources that a resource names and that can change, as far as they have names. */
  referencesOf(kind: Kind, values: Values): Reference[];
}

/** The kinds that others can refer to. */
const referredKinds: ReadonlySet<string> = new Set(["workspaces", "keys", "budgets", "alert_channels"]);
export const isReferred = (kind: string): kind is Referred & Kind["kind"] => referredKinds.has(kind);

/** Registers people and service accounts, which a file can name but not describe. */
async function addPeople({ database, as, names }: Session): Promise<void> {
  const { orgId } = as("members:read");
  const members = await database.prisma.member.findMany({
    where: { org_id: orgId },
    select: { user: { select: { id: true, name: true, email: true, kind: true } } },
  });
  for (const { user } of members) {
    if (user.kind === "service") names.add("service_accounts", user.name, user.id);
    else if (user.email !== null) names.add("people", user.email, user.id);
  }
}

/** The resources of one kind whose names are unique, and the keys of the others. */
function unique(kind: Kind, found: readonly Found[]) {
  const groups = [...Map.groupBy(found, ({ values }) => kind.identify(values).key)];
  return {
    known: groups.flatMap(([, group]) => (group.length === 1 ? group : [])),
    repeated: groups.flatMap(([key, group]) => (group.length > 1 ? [`${kind.kind} ${key}`] : [])),
  };
}

/**
 * Reads what is there, in the form of the file. Registers the names in the session. With a workspace only what belongs
 * to it is returned; resources outside of it are known by name and cannot change. Only kinds that are wanted are read.
 */
export async function readState(
  session: Session,
  workspace: string | null,
  wanted: (kind: Kind) => boolean,
): Promise<State> {
  await addPeople(session);
  const { names } = session;
  const ambiguous = new Set<string>();
  const outside = new Set<string>();
  const inside: { readonly kind: Kind; readonly found: Found }[] = [];
  for (const kind of kinds.filter(wanted)) {
    const { known, repeated } = unique(kind, await kind.read(session));
    for (const key of repeated) ambiguous.add(key);
    for (const found of known) {
      const { key } = kind.identify(found.values);
      if (isReferred(kind.kind)) names.add(kind.kind, key, found.id);
      if (workspace === null || kind.workspaceOf(found.values) === workspace) inside.push({ kind, found });
      else outside.add(`${kind.kind} ${key}`);
    }
  }
  const referencesOf: State["referencesOf"] = (kind, values) => {
    const references: Reference[] = [];
    kind.form.input(values, (to, name) => {
      const isFixed = names.isId(to, name) || outside.has(`${to} ${name}`);
      if (isReferred(to) && !isFixed) references.push({ kind: to, key: name });
      return name;
    });
    return references;
  };
  const keyOf = new Map(inside.map(({ kind, found }) => [found.id, kind.identify(found.values).key]));
  const resources = inside.map(({ kind, found: { id, values, isKept = false, endsWithId } }) => ({
    ...kind.identify(values),
    kind: kind.kind,
    id,
    isKept,
    endsWith:
      endsWithId && keyOf.has(endsWithId) ? { kind: kind.kind, key: keyOf.get(endsWithId) ?? "" } : null,
    references: referencesOf(kind, values),
    values: canonical(values, kind.defaults, kind.exact),
  }));
  return { resources, ambiguous, referencesOf };
}

import type { ChangeAction } from "#contract/configuration.ts";
import type { Values } from "#contract/configuration-form.ts";
import { differences, type FieldDifference } from "./values.ts";

/** A resource by its kind and the key that identifies it among those of its kind. */
export interface Reference {
  readonly kind: string;
  readonly key: string;
}

export interface Resource extends Reference {
  /** What messages call it. */
  readonly name: string;
  /** In canonical form, with names in place of IDs and without secrets. */
  readonly values: Values;
  /** The resources that it names. */
  readonly references: readonly Reference[];
}

export interface CurrentResource extends Resource {
  readonly id: string;
  /** It is not deleted, although the file does not have it. */
  readonly isKept: boolean;
  /** The resource with which it ends, such as the key that created a key. */
  readonly endsWith?: Reference | null;
}

export interface KindOrder {
  readonly kind: string;
  /** Fields that cannot be changed. */
  readonly fixed: readonly string[];
  /** Whether a resource is deleted and created again if such a field differs. */
  readonly isReplaced: boolean;
}

export interface Change extends Reference {
  readonly name: string;
  readonly action: ChangeAction;
  readonly fields: readonly FieldDifference[];
  readonly current: CurrentResource | null;
  readonly desired: Resource | null;
}

/** What prevents the plan. `field` is where in the resource, null for the resource itself. */
export interface Problem extends Reference {
  readonly field: string | null;
  readonly message: string;
}

export interface Plan {
  /** In the order in which they can be applied. */
  readonly changes: readonly Change[];
  /** Of the kinds in the file: what exists and is not in it. */
  readonly unlisted: readonly CurrentResource[];
  readonly problems: readonly Problem[];
}

/** The desired state. Kinds that are absent stay as they are. */
export type Sections = Readonly<Record<string, readonly Resource[] | undefined>>;

const idOf = ({ kind, key }: Reference): string => `${kind} ${key}`;

function changeOf(desired: Resource, current: CurrentResource | undefined, { fixed, isReplaced }: KindOrder) {
  const { kind, key, name } = desired;
  const base = { kind, key, name, desired, current: current ?? null };
  if (!current) return { ...base, action: "create" as const, fields: [] };
  const fields = differences(current.values, desired.values);
  const stuck = fields.find(({ field }) => fixed.includes(field.split(".")[0] ?? field));
  const action = stuck && isReplaced ? ("replace" as const) : ("update" as const);
  return { ...base, action, fields, stuck };
}

/** What each remaining resource refers to must exist after the plan. */
function danglingReferences(
  remaining: readonly Resource[],
  deleted: ReadonlySet<string>,
  existing: ReadonlySet<string>,
): Problem[] {
  return remaining.flatMap((resource) =>
    resource.references.flatMap((reference) => {
      const { kind, key } = resource;
      if (deleted.has(idOf(reference)))
        return [
          {
            kind,
            key,
            field: null,
            message: `refers to "${reference.key}" of ${reference.kind}, which would be deleted`,
          },
        ];
      if (existing.has(idOf(reference))) return [];
      const message = `"${reference.key}" is neither in the file nor among the existing ${reference.kind}`;
      return [{ kind, key, field: null, message }];
    }),
  );
}

/**
 * The changes that lead from the current to the desired state. Resources are created and changed in the order of the
 * kinds, which refer only to earlier ones, and deleted in the reverse order. Without `prune` nothing is deleted.
 */
export function plan(
  kinds: readonly KindOrder[],
  sections: Sections,
  current: readonly CurrentResource[],
  { prune }: { readonly prune: boolean },
): Plan {
  const found = new Map(current.map((resource) => [idOf(resource), resource]));
  const changes: Change[] = [];
  const problems: Problem[] = [];
  const wanted = new Set<string>();
  for (const order of kinds) {
    for (const desired of sections[order.kind] ?? []) {
      wanted.add(idOf(desired));
      const { stuck, ...change } = {
        stuck: undefined,
        ...changeOf(desired, found.get(idOf(desired)), order),
      };
      if (change.action === "update" && change.fields.length === 0) continue;
      changes.push(change);
      if (!stuck || (order.isReplaced && prune)) continue;
      const remedy = order.isReplaced
        ? "with prune, the resource is deleted and created again"
        : "delete the resource and create another";
      problems.push({ ...desired, field: stuck.field, message: `cannot be changed; ${remedy}` });
    }
  }
  const unlisted = current.filter(
    (resource) => sections[resource.kind] !== undefined && !wanted.has(idOf(resource)) && !resource.isKept,
  );
  const removed = prune ? unlisted : [];
  const deleted = new Set(removed.map(idOf));
  const remaining = [
    ...current.filter((resource) => !deleted.has(idOf(resource)) && !wanted.has(idOf(resource))),
    ...kinds.flatMap(({ kind }) => sections[kind] ?? []),
  ];
  for (const { kind, key, endsWith } of current)
    if (endsWith && deleted.has(idOf(endsWith)) && !deleted.has(idOf({ kind, key }))) {
      const message = `was created by "${endsWith.key}" of ${endsWith.kind}, which would be deleted, and ends with it`;
      problems.push({ kind, key, field: null, message });
    }
  problems.push(...danglingReferences(remaining, deleted, new Set(remaining.map(idOf))));
  const deletions = kinds
    .toReversed()
    .flatMap(({ kind }) => removed.filter((resource) => resource.kind === kind));
  for (const resource of deletions) {
    const { kind, key, name } = resource;
    changes.push({ kind, key, name, action: "delete", fields: [], current: resource, desired: null });
  }
  return { changes, unlisted, problems };
}

import type { LaterCatalogues } from "#server/catalog/index.ts";
import { isEntryKind } from "./kinds/entries.ts";
import { kinds } from "./kinds.ts";
import { type CataloguePart, isOfCatalogue, laterCatalogues } from "./later.ts";
import type { FileProblem, ReadFile } from "./read-file.ts";
import type { Session } from "./session.ts";
import type { State } from "./state.ts";

/** What a file changes of the catalogue: all that it has, and with `prune` what it does not have. */
export function changedParts(
  { sections }: ReadFile,
  { resources }: State,
  prune: boolean,
): readonly CataloguePart[] {
  const ofFile = kinds.filter(({ kind }) => isOfCatalogue(kind) && sections[kind] !== undefined);
  const wanted = ofFile.flatMap((kind) =>
    (sections[kind.kind] ?? []).map((values) => ({
      kind: kind.kind,
      key: kind.identify(values).key,
      values,
    })),
  );
  const names = new Set(wanted.map(({ kind, key }) => `${kind} ${key}`));
  const removed = resources
    .filter(
      ({ kind, key }) => prune && ofFile.some((one) => one.kind === kind) && !names.has(`${kind} ${key}`),
    )
    .map(({ kind, key }) => ({ kind, key, values: null }));
  return [...removed, ...wanted];
}

const partsOf = ({ resources }: State) => resources.filter(({ kind }) => isOfCatalogue(kind));

/** The catalogues as a file wants them. */
export const laterOf = (
  { catalogues, later, caller }: Session,
  state: State,
  changed: readonly CataloguePart[],
): LaterCatalogues =>
  changed.length === 0 ? later : laterCatalogues(catalogues, caller.orgId, partsOf(state), changed);

/** Entries that stay, and would have no provider or model any more. Disabled ones as well, so that they can be enabled. */
export function brokenEntries(
  { catalogues, caller }: Session,
  state: State,
  changed: readonly CataloguePart[],
): FileProblem[] {
  if (changed.length === 0) return [];
  const names = new Set(changed.map(({ kind, key }) => `${kind} ${key}`));
  const current = partsOf(state).map((part) => ({ ...part, values: { ...part.values, enabled: true } }));
  const [before, after] = [[], changed].map(
    (parts) => laterCatalogues(catalogues, caller.orgId, current, parts).problems,
  );
  return current.flatMap(({ kind, key, id }): FileProblem[] => {
    const problem = after?.get(id);
    if (!isEntryKind(kind) || names.has(`${kind} ${key}`)) return [];
    if (problem === undefined || before?.has(id)) return [];
    return [{ path: [], message: `${kind} "${key}", which stays, could not be used any more: ${problem}` }];
  });
}

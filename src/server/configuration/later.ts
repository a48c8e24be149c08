import type { Values } from "#contract/configuration-form.ts";
import { PriceEntry } from "#contract/price-entry.ts";
import {
  type Catalogues,
  type EntryRow,
  type LaterCatalogues,
  priceFault,
  priceFrom,
} from "#server/catalog/index.ts";
import { entryKinds, entryRow, isEntryKind, isShared, newEntryId } from "./kinds/entries.ts";

/** A provider, model, endpoint or price. Without values it would not exist any more. */
export interface CataloguePart {
  readonly kind: string;
  readonly key: string;
  readonly values: Values | null;
}

export const isOfCatalogue = (kind: string): boolean => isEntryKind(kind) || kind === "prices";

const nameOf = ({ kind, key }: Pick<CataloguePart, "kind" | "key">): string => `${kind} ${key}`;

/** A price that is not valid is refused where it is compared. */
function priceOf({ values }: CataloguePart) {
  const { data } = PriceEntry.safeParse(values?.price);
  return data === undefined || priceFault(data) ? null : priceFrom(data);
}

/** The catalogues with other entries and prices. `current` are all those of today. */
export function laterCatalogues(
  catalogues: Catalogues,
  orgId: string,
  current: readonly (CataloguePart & { readonly id: string })[],
  changed: readonly CataloguePart[],
): LaterCatalogues {
  const all = new Map(current.map((one): [string, CataloguePart & { id: string }] => [nameOf(one), one]));
  for (const one of changed)
    all.set(nameOf(one), { ...one, id: all.get(nameOf(one))?.id ?? newEntryId(one.kind, one.key) });
  const rows = (wantShared: boolean): EntryRow[] =>
    Object.keys(entryKinds).flatMap((kind) =>
      [...all.values()].flatMap((one) =>
        one.kind === kind && isEntryKind(kind) && one.values && isShared(one.key) === wantShared
          ? [entryRow(kind, one.id, one.values)]
          : [],
      ),
    );
  return catalogues.after(orgId, {
    installation: changed.some(({ key }) => isShared(key)) ? rows(true) : null,
    organisation: rows(false),
    prices: new Map(changed.filter(({ kind }) => kind === "prices").map((one) => [one.key, priceOf(one)])),
  });
}

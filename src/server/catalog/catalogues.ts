import { clock } from "#server/platform/clock.ts";
import { assemble, type BuiltCatalogue } from "./build.ts";
import type { EntryLayers } from "./entry-rows.ts";
import { type EntryRow, type LayerRows, overlay } from "./overlay.ts";
import { catalogueAt, type PriceOverrides, withPrices } from "./price-overrides.ts";
import type { Catalogue, Price } from "./types.ts";
import type { BaseCatalogue } from "./updates/base-catalogue.ts";

/** What the database adds to the files, as a snapshot holds it. */
interface Additions {
  readonly baseCatalogue: BaseCatalogue;
  readonly entryLayers: EntryLayers;
  readonly priceOverrides: PriceOverrides;
}

/** A catalogue with a layer laid over it. */
export interface LaidCatalogue extends BuiltCatalogue {
  /** Why entries of the layer are not used, by ID. */
  readonly problems: ReadonlyMap<string, string>;
}

/** The current catalogues: new objects after a change, else the same ones. Cheap enough to be called for each request. */
export interface Catalogues {
  /** That of an organisation: the installation's, with the organisation's own entries if it has any. */
  readonly of: (orgId: string | null) => Catalogue;
  /** Whether an organisation has entries of its own, so that nobody else may see its catalogue. */
  readonly isOwn: (orgId: string) => boolean;
  /** The installation's without the price book. */
  readonly listed: () => Catalogue;
  /** The catalogue with its own layer, and with the entries it was built from; with null that of the installation. */
  readonly laid: (orgId: string | null) => LaidCatalogue;
  /** The layers under that one. */
  readonly below: (orgId: string | null) => BuiltCatalogue;
  /** What the layers of the database are laid over. */
  readonly base: () => BaseCatalogue;
  /** The entries of the installation. */
  readonly entries: () => readonly EntryRow[];
  /** The installation's catalogue, without the price book, if the files were these. */
  readonly withBase: (files: BuiltCatalogue) => LaidCatalogue;
  /** What they would be after changes. */
  readonly after: (orgId: string, changes: CatalogueChanges) => LaterCatalogues;
}

/** Other content of the layers of the database. */
export interface CatalogueChanges {
  /** All entries of the installation; null if they stay. */
  readonly installation: readonly EntryRow[] | null;
  /** All entries of the organisation. */
  readonly organisation: readonly EntryRow[];
  /** Prices that apply from now on, by endpoint; null for that of the catalogue. */
  readonly prices: ReadonlyMap<string, Price | null>;
}

/** The catalogues of the installation and of one organisation as they would be. */
export interface LaterCatalogues extends Pick<Catalogues, "of" | "below"> {
  /** Why entries would not be used, by ID. */
  readonly problems: ReadonlyMap<string, string>;
}

const nothing: ReadonlyMap<string, string> = new Map();

/** Lays a layer over a catalogue. What the layer does not change is the same object in both. */
export function laidOver(base: BuiltCatalogue, layer: LayerRows): LaidCatalogue {
  if (layer.rows.length === 0) return { ...base, problems: nothing };
  const { merged, problems } = overlay(base.merged, layer, base.options.kinds);
  const { version, exchangeRate: rate } = base.catalogue;
  const stamp = { version: `${version}-${layer.version}`, rate };
  // Prices of the installation are entries of its own layer, which its price book then replaces.
  const priced = layer.orgId === null ? null : base;
  return { ...assemble(merged, stamp, base.options, priced), problems };
}

const laterLayer = (orgId: string | null, rows: readonly EntryRow[]): LayerRows => ({
  scope: orgId === null ? "installation" : "organisation",
  orgId,
  version: "later",
  rows,
});

/** A rate fixed by the operator is not replaced by a newer one. */
export function createCatalogues(additions: () => Additions, fixedRate: boolean): Catalogues {
  let base = additions().baseCatalogue;
  let layers = additions().entryLayers;
  let prices = additions().priceOverrides;
  let listed = laidOver(base.built, layers.installation);
  let priced = catalogueAt(listed.catalogue, prices, fixedRate, clock.nowMs());
  let installation: LaidCatalogue = { ...listed, catalogue: priced.catalogue };
  const own = new Map<string, { readonly layer: LayerRows; readonly laid: LaidCatalogue }>();

  function refresh(): void {
    const newest = additions();
    const isLaid =
      newest.baseCatalogue === base &&
      newest.entryLayers.installation.version === layers.installation.version;
    const isSame =
      isLaid && newest.priceOverrides.version === prices.version && clock.nowMs() < priced.nextMs;
    if (!isSame) {
      if (!isLaid) listed = laidOver(newest.baseCatalogue.built, newest.entryLayers.installation);
      priced = catalogueAt(listed.catalogue, newest.priceOverrides, fixedRate, clock.nowMs());
      installation = { ...listed, catalogue: priced.catalogue };
      own.clear();
    }
    if (newest.entryLayers !== layers)
      for (const orgId of own.keys()) if (!newest.entryLayers.of(orgId)) own.delete(orgId);
    base = newest.baseCatalogue;
    layers = newest.entryLayers;
    prices = newest.priceOverrides;
  }

  const refreshed = () => {
    refresh();
    return { base, layers };
  };

  function laid(orgId: string | null): LaidCatalogue {
    refresh();
    if (orgId === null) return listed;
    const layer = layers.of(orgId);
    if (!layer) return { ...installation, problems: nothing };
    const known = own.get(orgId);
    if (known?.layer.version === layer.version) return known.laid;
    const made = laidOver(installation, layer);
    own.set(orgId, { layer, laid: made });
    return made;
  }

  function after(own: string, changes: CatalogueChanges): LaterCatalogues {
    refresh();
    const shared = changes.installation
      ? laidOver(base.built, laterLayer(null, changes.installation))
      : { ...listed, problems: nothing };
    const booked = withPrices(prices, changes.prices);
    const { catalogue } = catalogueAt(shared.catalogue, booked, fixedRate, clock.nowMs());
    const ours = laidOver({ ...shared, catalogue }, laterLayer(own, changes.organisation));
    return {
      of: (orgId) => (orgId === null ? catalogue : ours.catalogue),
      below: (orgId) => (orgId === null ? base.built : shared),
      problems: new Map([...shared.problems, ...(changes.organisation.length > 0 ? ours.problems : [])]),
    };
  }

  return {
    after,
    of(orgId) {
      refresh();
      return orgId !== null && layers.of(orgId) ? laid(orgId).catalogue : installation.catalogue;
    },
    isOwn(orgId) {
      refresh();
      return layers.of(orgId) !== undefined;
    },
    listed: () => laid(null).catalogue,
    laid,
    below: (orgId) => (orgId === null ? refreshed().base.built : laid(null)),
    base: () => refreshed().base,
    entries: () => refreshed().layers.installation.rows,
    withBase: (files) => laidOver(files, refreshed().layers.installation),
  };
}

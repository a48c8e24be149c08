import type { EndpointEntry } from "#contract/catalogue.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { SettingsError } from "#server/platform/env.ts";
import { type ExchangeRate, exchangeRate } from "#server/platform/money.ts";
import { type Cite, citing } from "./citations.ts";
import { apisOf, endpointFrom, modelFrom, providerFrom } from "./entries.ts";
import {
  aliasesOf,
  endpointFaults,
  type Fault,
  type Kinds,
  modelFaults,
  providerFaults,
} from "./entry-faults.ts";
import { freePrice, priceFrom } from "./price.ts";
import {
  type CatalogueSource,
  endpointIdOf,
  type Located,
  type MergedSources,
  mergeSources,
} from "./sources.ts";
import type { Catalogue, Endpoint, Price } from "./types.ts";

export interface BuildOptions {
  /** The running sandbox's address, which replaces `{sandbox_origin}` in a `base_url`. */
  readonly sandboxOrigin?: string | undefined;
  /** The allowed kinds of providers; absent if no provider will be called. */
  readonly kinds?: Kinds | undefined;
  /** A rate fixed by the operator, instead of the files' newest. */
  readonly exchangeRate?: ExchangeRate | undefined;
}

/** A catalogue with the entries it was built from, so that another layer can be laid over it. */
export interface BuiltCatalogue {
  readonly merged: MergedSources;
  readonly catalogue: Catalogue;
  readonly options: BuildOptions;
}

function newestRate(merged: MergedSources): ExchangeRate | undefined {
  const newest = merged.rates.toSorted((a, b) => (a.date < b.date ? -1 : 1)).at(-1);
  return newest && exchangeRate(newest.rate, newest.date, newest.source);
}

/** Everything that routing reads: equal content gives an equal version, regardless of the sandbox's port. */
const versionOf = (merged: MergedSources, rate: ExchangeRate): string => {
  const entries = [merged.providers, merged.models, merged.endpoints].map((section) =>
    [...section.values()].map((located) => located.entry),
  );
  return sha256(JSON.stringify([merged.asOf, rate.usdPerEur, rate.date, entries])).slice(0, 12);
};

/** The values of entries. What was made of the same entry before is used again. */
function valuesOf<Entry, T>(
  entries: ReadonlyMap<string, Located<Entry>>,
  before: ReadonlyMap<string, Located<Entry>> | undefined,
  known: ReadonlyMap<string, T> | undefined,
  make: (located: Located<Entry>) => T,
): Map<string, T> {
  const values = new Map<string, T>();
  for (const [name, located] of entries) {
    const same = before?.get(name) === located ? known?.get(name) : undefined;
    values.set(name, same ?? make(located));
  }
  return values;
}

/** The entry's price, zero at a free provider, or null: known but not routable. */
const priceOf = ({ price }: EndpointEntry, free: boolean, cite: Cite): Price | null =>
  price === null ? (free ? freePrice : null) : priceFrom(price, cite);

type Named = Pick<Catalogue, "providers" | "models">;

/** What is known of an endpoint's provider and model. Entries that were checked name both. */
function knownOf(entry: EndpointEntry, merged: MergedSources, { providers, models }: Named) {
  const [provider, model] = [providers.get(entry.provider), models.get(entry.model)];
  const [providerEntry, modelEntry] = [merged.providers.get(entry.provider), merged.models.get(entry.model)];
  if (!provider || !model || !providerEntry || !modelEntry)
    throw new TypeError(`${endpointIdOf(entry)} was not checked`);
  const entries = { provider: providerEntry.entry, model: modelEntry.entry };
  return { provider, model, entries };
}

function endpointsOf(
  merged: MergedSources,
  named: Named,
  cite: Cite,
  base: BuiltCatalogue | null,
): Map<string, Endpoint> {
  const endpoints = new Map<string, Endpoint>();
  for (const [id, located] of merged.endpoints) {
    const { entry, origin } = located;
    const { provider, model, entries } = knownOf(entry, merged, named);
    const before = base?.catalogue.endpoints.get(id);
    const same =
      before?.model === model &&
      base?.catalogue.providers.get(entry.provider) === provider &&
      base?.merged.endpoints.get(id) === located;
    // Nobody but the operator changes prices of the installation, and its price book has set some of them.
    const booked = origin.orgId === null && base !== null && before ? before.price : undefined;
    const price = booked === undefined ? priceOf(entry, provider.free, cite) : booked;
    const apis = apisOf(entry, entries.provider, entries.model);
    const made = () => endpointFrom(located, { ...entries, apis, price }, { provider, model }, cite);
    endpoints.set(id, same ? before : made());
  }
  return endpoints;
}

interface Stamp {
  readonly version: string;
  readonly rate: ExchangeRate;
}

/**
 * Builds the catalogue of entries that were checked. `base`, over which an organisation's layer was laid, gives all
 * that did not change, and the prices of its endpoints.
 */
export function assemble(
  merged: MergedSources,
  { version, rate }: Stamp,
  options: BuildOptions,
  base: BuiltCatalogue | null = null,
): BuiltCatalogue {
  const cite = citing(merged.cited);
  const providers = valuesOf(merged.providers, base?.merged.providers, base?.catalogue.providers, (located) =>
    providerFrom(located, cite, options.sandboxOrigin),
  );
  const models = valuesOf(merged.models, base?.merged.models, base?.catalogue.models, (located) =>
    modelFrom(located, merged.models),
  );
  const endpoints = endpointsOf(merged, { providers, models }, cite, base);
  const catalogue: Catalogue = {
    version,
    asOf: merged.asOf,
    providers,
    models,
    aliases: aliasesOf(merged.models.values()),
    endpoints,
    endpointsByModel: Map.groupBy(endpoints.values(), (endpoint) => endpoint.model.id),
    exchangeRate: rate,
  };
  return { merged, catalogue, options };
}

/** Adds the place in its file to each fault of an entry. */
function placed<Entry>(
  entries: ReadonlyMap<string, Located<Entry>>,
  faultsOf: (entry: Entry) => readonly Fault[],
): string[] {
  return [...entries.values()].flatMap(({ entry, file, path }) =>
    faultsOf(entry).map(
      ({ field, message }) => `${file}: ${path}${field === null ? "" : `.${field}`} ${message}`,
    ),
  );
}

function problemsOf(merged: MergedSources, { kinds }: BuildOptions): string[] {
  const taken = new Map<string, string>();
  return [
    ...placed(merged.endpoints, (entry) => endpointFaults(entry, merged)),
    ...placed(merged.models, (entry) => {
      const faults = modelFaults(entry, merged.models, taken);
      for (const alias of entry.aliases) taken.set(alias, entry.id);
      return faults;
    }),
    ...placed(merged.providers, (entry) => providerFaults(entry, kinds)),
  ];
}

/**
 * Builds the catalogue from its files: the shipped one first, then those that override it. Throws `SettingsError`
 * with every problem, each naming file, place and expected value.
 */
export function buildCatalogue(
  sources: readonly CatalogueSource[],
  options: BuildOptions = {},
): BuiltCatalogue {
  const problems: string[] = [];
  const merged = mergeSources(sources, problems);
  const rate = options.exchangeRate ?? newestRate(merged);
  if (problems.length > 0 || !rate) throw new SettingsError(problems);
  const wrong = problemsOf(merged, options);
  if (wrong.length > 0) throw new SettingsError(wrong);
  return assemble(merged, { version: versionOf(merged, rate), rate }, options);
}

import { sha256 } from "#server/platform/crypto.ts";
import { SettingsError } from "#server/platform/env.ts";
import { type ExchangeRate, exchangeRate } from "#server/platform/money.ts";
import { type Cite, citing } from "./citations.ts";
import { dialects } from "./dialects/index.ts";
import { apisOf, endpointFrom, modelFrom, providerFrom } from "./entries.ts";
import { freePrice, PriceError, priceFrom } from "./price.ts";
import { type CatalogueSource, type MergedSources, mergeSources } from "./sources.ts";
import type { Catalogue, Endpoint, Price } from "./types.ts";

export interface BuildOptions {
  /** The running sandbox's address, which replaces `{sandbox_origin}` in a `base_url`. */
  readonly sandboxOrigin?: string | undefined;
  /** The allowed kinds of providers; absent if no provider will be called. */
  readonly kinds?: ReadonlySet<string> | undefined;
  /** A rate fixed by the operator, instead of the files' newest. */
  readonly exchangeRate?: ExchangeRate | undefined;
}

type Merged = MergedSources;
type Item = Merged["endpoints"] extends Map<string, infer Located> ? Located : never;

/** The file's price, zero at a free provider, or null: known but not routable. */
function priceOf(item: Item, free: boolean, cite: Cite, problems: string[]): Price | null {
  if (item.entry.price === null) return free ? freePrice : null;
  try {
    return priceFrom(item.entry.price, cite);
  } catch (error) {
    if (!(error instanceof PriceError)) throw error;
    problems.push(`${item.file}: ${item.path}.price.${error.field} ${error.message}`);
    return null;
  }
}

function aliasesOf(merged: Merged, problems: string[]): Map<string, string> {
  const aliases = new Map<string, string>();
  for (const { entry, file, path } of merged.models.values()) {
    for (const alias of entry.aliases) {
      const taken = merged.models.has(alias) ? alias : aliases.get(alias);
      if (taken) problems.push(`${file}: ${path}.aliases "${alias}" already names ${taken}`);
      aliases.set(alias, entry.id);
    }
  }
  return aliases;
}

function checkKinds(merged: Merged, kinds: ReadonlySet<string>, problems: string[]): void {
  for (const { entry, file, path } of merged.providers.values()) {
    if (kinds.has(entry.kind)) continue;
    const known = [...kinds].toSorted().join(", ");
    problems.push(`${file}: ${path}.kind "${entry.kind}" is not known; known are ${known}`);
  }
}

function checkDialects(merged: Merged, problems: string[]): void {
  for (const { entry, file, path } of merged.providers.values()) {
    if (entry.dialect === undefined || entry.dialect in dialects) continue;
    const known = Object.keys(dialects).toSorted().join(", ");
    problems.push(`${file}: ${path}.dialect "${entry.dialect}" is not known; known are ${known}`);
  }
}

function newestRate(merged: Merged): ExchangeRate | undefined {
  const newest = merged.rates.toSorted((a, b) => (a.date < b.date ? -1 : 1)).at(-1);
  return newest && exchangeRate(newest.rate, newest.date, newest.source);
}

/** Everything that routing reads: equal content gives an equal version, regardless of the sandbox's port. */
const versionOf = (merged: Merged, rate: ExchangeRate): string => {
  const entries = [merged.providers, merged.models, merged.endpoints].map((section) =>
    [...section.values()].map((located) => located.entry),
  );
  return sha256(JSON.stringify([merged.asOf, rate.usdPerEur, rate.date, entries])).slice(0, 12);
};

/**
 * Builds the catalogue from its files: the shipped one first, then those that override it. Throws `SettingsError`
 * with every problem, each naming file, place and expected value.
 */
export function buildCatalogue(sources: readonly CatalogueSource[], options: BuildOptions = {}): Catalogue {
  const problems: string[] = [];
  const merged = mergeSources(sources, problems);
  const rate = options.exchangeRate ?? newestRate(merged);
  if (problems.length > 0 || !rate) throw new SettingsError(problems);

  const cite = citing(merged.cited);
  const providers = new Map(
    [...merged.providers].map(([slug, { entry }]) => [
      slug,
      providerFrom(entry, cite, options.sandboxOrigin),
    ]),
  );
  const models = new Map([...merged.models].map(([id, { entry }]) => [id, modelFrom(entry)]));
  const endpoints = new Map<string, Endpoint>();
  for (const [id, item] of merged.endpoints) {
    const { entry, file, path } = item;
    const provider = providers.get(entry.provider);
    const providerEntry = merged.providers.get(entry.provider)?.entry;
    const model = models.get(entry.model);
    const modelEntry = merged.models.get(entry.model)?.entry;
    if (!provider || !providerEntry) {
      problems.push(
        `${file}: ${path}.provider "${entry.provider}" is not known; add it to providers, at least with slug, name and base_url`,
      );
    }
    if (!model || !modelEntry) {
      problems.push(
        `${file}: ${path}.model "${entry.model}" is not known; add it to models, at least with its id`,
      );
    }
    if (!provider || !providerEntry || !model || !modelEntry) continue;
    const apis = apisOf(entry, providerEntry, modelEntry);
    if (apis.size === 0) {
      problems.push(
        `${file}: ${path} has no operation: ${entry.provider} offers none for a ${model.type} model; give apis`,
      );
    }
    const price = priceOf(item, provider.free, cite, problems);
    endpoints.set(
      id,
      endpointFrom(
        entry,
        { provider: providerEntry, model: modelEntry, apis, price },
        { provider, model },
        cite,
      ),
    );
  }
  const aliases = aliasesOf(merged, problems);
  checkDialects(merged, problems);
  if (options.kinds) checkKinds(merged, options.kinds, problems);
  if (problems.length > 0) throw new SettingsError(problems);

  return {
    version: versionOf(merged, rate),
    asOf: merged.asOf,
    providers,
    models,
    aliases,
    endpoints,
    endpointsByModel: Map.groupBy(endpoints.values(), (endpoint) => endpoint.model.id),
    exchangeRate: rate,
  };
}

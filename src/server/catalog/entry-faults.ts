import type { EndpointEntry, ModelEntry, ProviderEntry } from "#contract/catalogue.ts";
import { dialects } from "./dialects/index.ts";
import { apisOf } from "./entries.ts";
import { PriceError, priceFrom } from "./price.ts";
import type { Located, MergedSources } from "./sources.ts";

/** What is wrong with an entry that its schema accepts. Without a field it concerns the entry as a whole. */
export interface Fault {
  readonly field: string | null;
  readonly message: string;
}

const unknownName = (field: string, name: string, known: Iterable<string>): Fault => ({
  field,
  message: `"${name}" is not known; known are ${[...known].toSorted().join(", ")}`,
});

/** What an entry has to respect of the kind that it names. */
export interface KindRules {
  /** Without a credential it cannot be called: its package would look for one in the environment of the server. */
  readonly needsCredential?: boolean;
}
/** The allowed kinds of providers, by name. */
export type Kinds = ReadonlyMap<string, KindRules>;

const withoutCredential: ReadonlySet<string> = new Set(["none", "bearer-optional"]);

/** `kinds` is absent if no provider will be called. */
export function providerFaults(entry: ProviderEntry, kinds: Kinds | undefined): Fault[] {
  const { dialect, kind, auth } = entry;
  return [
    ...(dialect === undefined || dialect in dialects
      ? []
      : [unknownName("dialect", dialect, Object.keys(dialects))]),
    ...(kinds && !kinds.has(kind) ? [unknownName("kind", kind, kinds.keys())] : []),
    ...(kinds?.get(kind)?.needsCredential && withoutCredential.has(auth)
      ? [{ field: "auth", message: `"${auth}" cannot be used with kind ${kind}, which needs a credential` }]
      : []),
  ];
}

/** The aliases of all models, each with the model's id. Of two models with one alias, the later one has it. */
export function aliasesOf(models: Iterable<Located<ModelEntry>>): Map<string, string> {
  const aliases = new Map<string, string>();
  for (const { entry } of models) for (const alias of entry.aliases) aliases.set(alias, entry.id);
  return aliases;
}

/** `taken` are the aliases of other models. */
export const modelFaults = (
  { id, aliases, successor, deprecation_date: deprecated, expiration_date: expires }: ModelEntry,
  models: ReadonlyMap<string, unknown>,
  taken: ReadonlyMap<string, string>,
): Fault[] => [
  ...aliases.flatMap((alias) => {
    const owner = models.has(alias) ? alias : taken.get(alias);
    return owner === undefined || owner === id
      ? []
      : [{ field: "aliases", message: `"${alias}" already names ${owner}` }];
  }),
  ...(successor === id ? [{ field: "successor", message: "must be another model" }] : []),
  ...(deprecated !== null && expires !== null && expires < deprecated
    ? [{ field: "expiration_date", message: "must not be before deprecation_date" }]
    : []),
];

function priceFaults({ price }: EndpointEntry): Fault[] {
  try {
    if (price) priceFrom(price);
    return [];
  } catch (error) {
    if (!(error instanceof PriceError)) throw error;
    return [{ field: `price.${error.field}`, message: error.message }];
  }
}

export function endpointFaults(
  entry: EndpointEntry,
  { providers, models }: Pick<MergedSources, "providers" | "models">,
): Fault[] {
  const provider = providers.get(entry.provider)?.entry;
  const model = models.get(entry.model)?.entry;
  const faults: Fault[] = [];
  if (!provider)
    faults.push({
      field: "provider",
      message: `"${entry.provider}" is not known; add it to providers, at least with slug, name and base_url`,
    });
  if (!model)
    faults.push({
      field: "model",
      message: `"${entry.model}" is not known; add it to models, at least with its id`,
    });
  if (provider && model && apisOf(entry, provider, model).size === 0)
    faults.push({
      field: null,
      message: `has no operation: ${entry.provider} offers none for a ${model.type} model; give apis`,
    });
  return [...faults, ...priceFaults(entry)];
}

import type { z } from "zod";
import {
  CatalogueFile,
  CatalogueOverlay,
  type EndpointEntry,
  type ModelEntry,
  type ProviderEntry,
  type SourceEntry,
} from "#contract/catalogue.ts";
import type { CatalogueLayer } from "#contract/catalogue-entry.ts";
import type { Origin } from "./types.ts";

/** Parsed JSON of one file; the first of several is the shipped catalogue, the others override it. */
export interface CatalogueSource {
  readonly file: string;
  readonly content: unknown;
  /** By default the first one is shipped, and the others are files of the operator. */
  readonly layer?: CatalogueLayer;
}

/** An entry with its layer, and the place it was written at, for messages. */
export interface Located<Entry> {
  readonly entry: Entry;
  readonly file: string;
  readonly path: string;
  readonly origin: Origin;
}

/** All layers combined; later entries replace earlier ones of the same name. */
export interface MergedSources {
  asOf: string;
  /** What short names of sources mean. */
  readonly cited: Map<string, SourceEntry>;
  readonly rates: CatalogueFile["exchange_rates"];
  readonly providers: Map<string, Located<ProviderEntry>>;
  readonly models: Map<string, Located<ModelEntry>>;
  readonly endpoints: Map<string, Located<EndpointEntry>>;
}

/** `provider-slug[/variant]`, the name routing preferences use. */
export const tagOf = (entry: EndpointEntry): string =>
  entry.variant === undefined ? entry.provider : `${entry.provider}/${entry.variant}`;

/** `provider-slug[/variant]:model-id`. */
export const endpointIdOf = (entry: EndpointEntry): string => `${tagOf(entry)}:${entry.model}`;

/** `["endpoints", 3, "price"]` → `endpoints[3].price`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text ? `${text}.${String(part)}` : String(part),
    "",
  );

const problemText = (file: string, issue: z.core.$ZodIssue): string =>
  [`${file}:`, pathText(issue.path), issue.message].filter(Boolean).join(" ");

function addAll<Entry>(
  into: Map<string, Located<Entry>>,
  entries: readonly Entry[],
  nameOf: (entry: Entry) => string,
  { file, origin, section }: { readonly file: string; readonly origin: Origin; readonly section: string },
  problems: string[],
): void {
  const here = new Map<string, string>();
  entries.forEach((entry, index) => {
    const name = nameOf(entry);
    const path = `${section}[${index}]`;
    const earlier = here.get(name);
    if (earlier) problems.push(`${file}: ${path} repeats ${name}, which is already at ${earlier}`);
    here.set(name, path);
    into.set(name, { entry, file, path, origin });
  });
}

/** Validates each file against its schema and combines them; problems are added to `problems`. */
export function mergeSources(sources: readonly CatalogueSource[], problems: string[]): MergedSources {
  const merged: MergedSources = {
    asOf: "",
    cited: new Map(),
    rates: [],
    providers: new Map(),
    models: new Map(),
    endpoints: new Map(),
  };
  sources.forEach(({ file, content, layer: given }, index) => {
    const layer = given ?? (index === 0 ? "shipped" : "file");
    const schema: z.ZodType<CatalogueFile | CatalogueOverlay> =
      index === 0 ? CatalogueFile : CatalogueOverlay;
    const parsed = schema.safeParse(content);
    if (!parsed.success) {
      problems.push(...parsed.error.issues.map((issue) => problemText(file, issue)));
      return;
    }
    const { as_of, sources: cited, exchange_rates, providers, models, endpoints } = parsed.data;
    if (as_of !== undefined && as_of > merged.asOf) merged.asOf = as_of;
    for (const [key, source] of Object.entries(cited)) merged.cited.set(key, source);
    merged.rates.push(...exchange_rates);
    const at = { file, origin: { layer, orgId: null, overrides: [] } };
    const { providers: slugs, models: ids, endpoints: tags } = merged;
    addAll(slugs, providers, ({ slug }) => slug, { ...at, section: "providers" }, problems);
    addAll(ids, models, ({ id }) => id, { ...at, section: "models" }, problems);
    addAll(tags, endpoints, endpointIdOf, { ...at, section: "endpoints" }, problems);
  });
  return merged;
}

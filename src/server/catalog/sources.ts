import type { z } from "zod";
import {
  CatalogueFile,
  CatalogueOverlay,
  type EndpointEntry,
  type ModelEntry,
  type ProviderEntry,
  type SourceEntry,
} from "#contract/catalogue.ts";

/** Parsed JSON of one file; the first of several is the shipped catalogue, the others override it. */
export interface CatalogueSource {
  readonly file: string;
  readonly content: unknown;
}

/** An entry with the place it was written at, for messages. */
interface Located<Entry> {
  readonly entry: Entry;
  readonly file: string;
  readonly path: string;
}

/** All files combined; later entries replace earlier ones of the same name. */
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
const pathText = (path: readonly PropertyKey[]): string =>
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
  file: string,
  section: string,
  problems: string[],
): void {
  const here = new Map<string, string>();
  entries.forEach((entry, index) => {
    const name = nameOf(entry);
    const path = `${section}[${index}]`;
    const earlier = here.get(name);
    if (earlier) problems.push(`${file}: ${path} repeats ${name}, which is already at ${earlier}`);
    here.set(name, path);
    into.set(name, { entry, file, path });
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
  sources.forEach(({ file, content }, index) => {
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
    addAll(merged.providers, providers, (entry) => entry.slug, file, "providers", problems);
    addAll(merged.models, models, (entry) => entry.id, file, "models", problems);
    addAll(merged.endpoints, endpoints, endpointIdOf, file, "endpoints", problems);
  });
  return merged;
}

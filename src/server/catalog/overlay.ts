import type { z } from "zod";
import { EndpointEntry, ModelEntry, ProviderEntry } from "#contract/catalogue.ts";
import type { EntryScope, EntrySection } from "#contract/catalogue-entry.ts";
import {
  aliasesOf,
  endpointFaults,
  type Fault,
  type Kinds,
  modelFaults,
  providerFaults,
} from "./entry-faults.ts";
import { type JsonFields, withEvidence } from "./evidence.ts";
import { type Located, type MergedSources, pathText } from "./sources.ts";
import type { Origin, Override } from "./types.ts";

/** An entry of the database. */
export interface EntryRow {
  readonly id: string;
  readonly section: EntrySection;
  /** The slug of a provider, or the ID of a model or endpoint. */
  readonly name: string;
  readonly body: JsonFields;
  readonly enabled: boolean;
  readonly source: string | null;
  readonly asOf: string | null;
}

/** The entries of the installation, or of one organisation. */
export interface LayerRows {
  readonly scope: EntryScope;
  /** Null for the installation. */
  readonly orgId: string | null;
  /** Equal for equal content. */
  readonly version: string;
  readonly rows: readonly EntryRow[];
}

/** The layers up to this one, and why entries of it are not used. */
interface Overlaid {
  readonly merged: MergedSources;
  /** By ID of the entry. */
  readonly problems: ReadonlyMap<string, string>;
}

type Sections = Pick<MergedSources, "providers" | "models" | "endpoints">;

/** The fields an entry is found by, which therefore say nothing about it. */
export const nameFields: Record<EntrySection, readonly string[]> = {
  provider: ["slug"],
  model: ["id"],
  endpoint: ["provider", "variant", "model"],
};

/** The name of an entry; null if a field that it consists of is missing. */
export function nameOf(section: EntrySection, body: JsonFields): string | null {
  const { slug, id, provider, variant, model } = body;
  if (section === "provider") return typeof slug === "string" ? slug : null;
  if (section === "model") return typeof id === "string" ? id : null;
  if (typeof provider !== "string" || typeof model !== "string") return null;
  return `${typeof variant === "string" ? `${provider}/${variant}` : provider}:${model}`;
}

/** The fields that an entry sets, without those it is found by. */
export const fieldsOf = ({ section, body }: Pick<EntryRow, "section" | "body">): string[] =>
  Object.keys(body).filter((field) => !nameFields[section].includes(field));

/**
 * What an organisation may state about entries of the installation, because it follows from its own contracts: never
 * where requests are sent, with whose credential, what they cost, or where they are processed.
 */
const ownFacts: Record<EntrySection, readonly string[]> = {
  provider: [
    ...["training", "retains_prompts", "retention_days", "conditional_retention_days", "can_publish"],
    ...[
      "legal_entity",
      "privacy_policy_url",
      "terms_of_service_url",
      "data_policy_url",
      "dpa_url",
      "status_page_url",
    ],
  ],
  model: [],
  endpoint: ["training", "retention_days", "conditional_retention_days"],
};

/** An own provider brings its address; an entry without one states facts about a provider of the installation. */
export const bringsAddress = ({ section, body }: Pick<EntryRow, "section" | "body">): boolean =>
  section === "provider" && "base_url" in body;

/** Why an organisation may not have this entry; null if it may. */
function refusedToOrganisation(row: EntryRow, isLower: boolean, { providers }: Sections): string | null {
  const { section, name, body } = row;
  if (section === "endpoint" && !isLower) {
    return providers.get(String(body.provider))?.origin.orgId === null
      ? "provider: must be a provider of your organisation; the operator manages endpoints of the installation's"
      : null;
  }
  if (!isLower || bringsAddress(row)) return null;
  const allowed = ownFacts[section];
  const foreign = fieldsOf(row).find((field) => !allowed.includes(field));
  if (allowed.length > 0 && foreign === undefined) return null;
  return allowed.length === 0
    ? `${nameFields[section]}: the installation has the ${section} ${name} already`
    : `${foreign}: cannot be changed for the installation's ${name}; an organisation may state ${allowed.join(", ")}`;
}

const inWords = ({ path, message }: z.core.$ZodIssue): string =>
  [pathText(path), message].filter(Boolean).join(": ");

const problemsShown = 5;

interface Laying<Entry> {
  readonly section: EntrySection;
  readonly schema: z.ZodType<Entry>;
  /** The entries so far, which the valid ones are added to. */
  readonly entries: Map<string, Located<Entry>>;
  /** Whether what an unusable entry would change is not used either, because its facts, address or price matter. */
  readonly isClosed: boolean;
  readonly faultsOf: (entry: Entry) => readonly Fault[];
  readonly onAdded?: (entry: Entry, replaced: Entry | undefined) => void;
}

/** The entry of a row, or why it cannot be used. */
function locate<Entry>(
  row: EntryRow,
  layer: LayerRows,
  { schema, entries, faultsOf }: Laying<Entry>,
): Located<Entry> | string {
  const lower = entries.get(row.name);
  // An organisation's own provider has nothing of one of the same name that the operator added later.
  const below = layer.orgId !== null && bringsAddress(row) ? undefined : lower;
  const result = schema.safeParse({ ...below?.entry, ...withEvidence(row, layer.scope) });
  if (!result.success) return result.error.issues.slice(0, problemsShown).map(inWords).join("; ");
  const [fault] = faultsOf(result.data);
  if (fault) return [fault.field, fault.message].filter(Boolean).join(": ");
  const override: Override = {
    layer: layer.scope,
    fields: fieldsOf(row),
    source: row.source,
    asOf: row.asOf,
  };
  const origin: Origin = below
    ? { ...below.origin, overrides: [...below.origin.overrides, override] }
    : { layer: layer.scope, orgId: layer.orgId, overrides: [] };
  return { entry: result.data, file: layer.scope, path: row.name, origin };
}

/**
 * Without the endpoints of installation's providers that the organisation has replaced by its own, and those of
 * providers that are not used because an entry about them cannot be.
 */
function dropReplaced({ providers, endpoints }: Sections, orgId: string | null): void {
  for (const [id, { entry, origin }] of endpoints) {
    const provider = providers.get(entry.provider);
    const isReplaced = orgId !== null && origin.orgId === null && provider?.origin.orgId !== null;
    if (!provider || isReplaced) endpoints.delete(id);
  }
}

/**
 * Lays the entries of the database over the layers below. Pure. Entries that cannot be used are left out with the
 * reason, because a layer below or a limit may change after they were stored. A provider or endpoint that such an entry
 * would change is left out as well: what was to apply to it is unknown.
 */
export function overlay(below: MergedSources, layer: LayerRows, kinds: Kinds | undefined): Overlaid {
  const providers = new Map(below.providers);
  const models = new Map(below.models);
  const endpoints = new Map(below.endpoints);
  const merged = { ...below, providers, models, endpoints };
  const problems = new Map<string, string>();
  const lay = <Entry>(laying: Laying<Entry>): void => {
    for (const row of layer.rows) {
      if (row.section !== laying.section || !row.enabled) continue;
      const isLower = laying.entries.has(row.name);
      const refused = layer.orgId === null ? null : refusedToOrganisation(row, isLower, merged);
      const located = refused ?? locate(row, layer, laying);
      if (typeof located === "string") {
        const isDropped = refused === null && laying.isClosed && laying.entries.delete(row.name);
        problems.set(
          row.id,
          isDropped ? `${located}. Until this is corrected, ${row.name} is not used` : located,
        );
      } else {
        const replaced = laying.entries.get(row.name)?.entry;
        laying.entries.set(row.name, located);
        laying.onAdded?.(located.entry, replaced);
      }
    }
  };
  lay({
    section: "provider",
    schema: ProviderEntry,
    entries: providers,
    isClosed: true,
    faultsOf: (entry) => providerFaults(entry, kinds),
  });
  dropReplaced(merged, layer.orgId);
  // Updated as models are added: to collect them again for each would take the square of their number.
  const aliases = aliasesOf(models.values());
  lay({
    section: "model",
    schema: ModelEntry,
    entries: models,
    isClosed: false,
    faultsOf: (entry) => modelFaults(entry, models, aliases),
    onAdded(entry, replaced) {
      for (const alias of replaced?.aliases ?? []) if (aliases.get(alias) === entry.id) aliases.delete(alias);
      for (const alias of entry.aliases) aliases.set(alias, entry.id);
    },
  });
  lay({
    section: "endpoint",
    schema: EndpointEntry,
    entries: endpoints,
    isClosed: true,
    faultsOf: (entry) => endpointFaults(entry, merged),
  });
  return { merged, problems };
}

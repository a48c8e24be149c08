import { isDeepStrictEqual } from "node:util";
import type { CatalogueFile } from "#contract/catalogue.ts";
import type { EntrySection } from "#contract/catalogue-entry.ts";
import {
  type CatalogueDifference,
  type DifferenceGroup,
  differenceGroups,
} from "#contract/catalogue-update.ts";
import type { JsonFields } from "../evidence.ts";
import { endpointIdOf } from "../sources.ts";

/** A difference before it is known what overrides it. */
export type Difference = Omit<CatalogueDifference, "overridden_by">;
type Json = Difference["before"];

/** The groups of fields. All others are details. */
const fieldsOf: Partial<Record<DifferenceGroup, readonly string[]>> = {
  prices: ["price", "free"],
  facts: [
    ...["training", "retains_prompts", "retention_days", "conditional_retention_days", "can_publish"],
    ...[
      "eu_owned",
      "headquarters",
      "legal_entity",
      "storage_countries",
      "dpf_certified",
      "datacenters",
      "region",
      "countries",
    ],
    ...["region_groups", "region_note", "self_hosted", "requires_user_ids"],
  ],
  retirement: ["status", "deprecation_date", "expiration_date", "successor"],
  addresses: ["base_url", "kind", "auth", "dialect", "upstream_model"],
  evidence: ["source", "as_of", "confidence", "expires_at", "place_expires_at", "unverified", "note"],
};
const groupOfField: ReadonlyMap<string, DifferenceGroup> = new Map(
  differenceGroups.flatMap((group) => (fieldsOf[group] ?? []).map((field) => [field, group])),
);

const isFields = (value: unknown): value is JsonFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A fact or price without where it comes from and how long it holds. */
const withoutEvidence = (value: unknown): unknown =>
  isFields(value)
    ? Object.fromEntries(Object.entries(value).filter(([field]) => groupOfField.get(field) !== "evidence"))
    : value;

const groupOf = (field: string, before: unknown, after: unknown): DifferenceGroup => {
  const group = groupOfField.get(field) ?? "details";
  return isDeepStrictEqual(withoutEvidence(before), withoutEvidence(after)) ? "evidence" : group;
};

// Entries are JSON that a schema has read.
const asJson = (value: unknown): Json => (value ?? null) as Json;

const groupOfSection = { provider: "providers", model: "models", endpoint: "endpoints" } as const;

function changedFields(
  section: EntrySection,
  name: string,
  before: JsonFields,
  after: JsonFields,
): Difference[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => !isDeepStrictEqual(before[field] ?? null, after[field] ?? null))
    .map((field) => ({
      ...{ group: groupOf(field, before[field], after[field]), section, name, change: "changed", field },
      ...{ before: asJson(before[field]), after: asJson(after[field]) },
    }));
}

function compareSection(
  section: EntrySection,
  before: ReadonlyMap<string, JsonFields>,
  after: ReadonlyMap<string, JsonFields>,
): Difference[] {
  const group = groupOfSection[section];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): Difference[] => {
    const [old, now] = [before.get(name), after.get(name)];
    if (old && now) return changedFields(section, name, old, now);
    const prices = { before: asJson(old?.price), after: asJson(now?.price) };
    return [{ group, section, name, change: now ? "added" : "removed", field: null, ...prices }];
  });
}

const named = <Entry extends object>(entries: readonly Entry[], nameOf: (entry: Entry) => string) =>
  new Map(
    entries.map((entry): [string, JsonFields] => [nameOf(entry), Object.fromEntries(Object.entries(entry))]),
  );

const sectionsOf = ({ providers, models, endpoints }: CatalogueFile) => ({
  provider: named(providers, ({ slug }) => slug),
  model: named(models, ({ id }) => id),
  endpoint: named(endpoints, endpointIdOf),
});

const newestRate = ({ exchange_rates: rates }: CatalogueFile): Json => {
  const newest = rates.toSorted((a, b) => a.date.localeCompare(b.date)).at(-1);
  return newest ? `${newest.rate} (${newest.date})` : null;
};

/** What differs between two catalogue files, in the order of the sections. Pure. */
export function differencesOf(before: CatalogueFile, after: CatalogueFile): Difference[] {
  const [old, now] = [sectionsOf(before), sectionsOf(after)];
  const rates = { before: newestRate(before), after: newestRate(after) };
  return [
    ...(["provider", "model", "endpoint"] as const).flatMap((section) =>
      compareSection(section, old[section], now[section]),
    ),
    ...(rates.before === rates.after
      ? []
      : [
          {
            ...({ group: "prices", section: "exchange_rate", name: "EUR/USD", change: "changed" } as const),
            ...{ field: "rate", ...rates },
          },
        ]),
  ];
}

import type {
  CatalogueComparison,
  CatalogueDifference,
  DifferenceChange,
  DifferenceGroup,
} from "#contract/catalogue-update.ts";

export const groups: Record<DifferenceGroup, string> = {
  prices: "Prices",
  models: "New and removed models",
  endpoints: "New and removed endpoints",
  providers: "New and removed providers",
  facts: "Facts",
  retirement: "Deprecations",
  addresses: "Addresses",
  details: "Details",
  evidence: "Sources and dates",
};

export const changes: Record<DifferenceChange, string> = {
  added: "New",
  removed: "Removed",
  changed: "Changed",
};

export const overriders: Record<NonNullable<CatalogueDifference["overridden_by"]>, string> = {
  file: "CATALOG_FILE",
  installation: "an entry of the installation",
  price_book: "the price book",
};

type Json = CatalogueDifference["before"];
type Fields = { readonly [name: string]: Json };
const isFields = (value: Json): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The figures of a price, per million tokens: `EUR 0.10 in, 0.30 out`. */
const priceText = ({ currency, input, output }: Fields): string =>
  `${String(currency)} ${String(input)} in, ${String(output)} out`;

/** A value of a catalogue file in one line. */
export function valueText(value: Json): string {
  if (value === null) return "–";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.length === 0 ? "None" : value.map(valueText).join(", ");
  if ("currency" in value && "input" in value) return priceText(value);
  if ("value" in value) return value.value === null ? "Unknown" : valueText(value.value ?? null);
  return JSON.stringify(value);
}

/** Where a price or fact comes from. */
const evidenceText = (value: Json): string =>
  isFields(value) ? [value.source, value.as_of].filter((part) => typeof part === "string").join(", ") : "–";

/** What changes, as it was and as it becomes. */
export function changeText({ group, field, before, after }: CatalogueDifference): readonly [string, string] {
  const [old, now] = [valueText(before), valueText(after)];
  // Equal figures: only where they come from has changed.
  return field !== null && group === "evidence" && old === now
    ? [evidenceText(before), evidenceText(after)]
    : [old, now];
}

/** `2 new, 1 removed, 14 changed`. */
export const countText = ({ added, removed, changed }: CatalogueComparison["counts"][number]): string =>
  [[added, "new"] as const, [removed, "removed"] as const, [changed, "changed"] as const]
    .flatMap(([count, word]) => (count > 0 ? [`${count} ${word}`] : []))
    .join(", ");

export const totalOf = ({ counts }: CatalogueComparison): number =>
  counts.reduce((sum, { added, removed, changed }) => sum + added + removed + changed, 0);

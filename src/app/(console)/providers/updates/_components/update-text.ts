import type {
  CatalogueComparison,
  CatalogueDifference,
  DifferenceChange,
  DifferenceGroup,
} from "#contract/catalogue-update.ts";

export const groups: Record<DifferenceGroup, string> = {
  prices: "Prices",
  models: "Models",
  endpoints: "Endpoints",
  providers: "Providers",
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

/** Where a price or fact comes from, and how long it holds. */
const evidence: readonly string[] = ["source", "as_of", "confidence", "expires_at"];

/** A value of a catalogue file in one line. */
export function valueText(value: Json): string {
  if (value === null) return "–";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.length === 0 ? "None" : value.map(valueText).join(", ");
  if ("value" in value) return value.value === null ? "Unknown" : valueText(value.value ?? null);
  const { currency, input, output } = value;
  if (currency !== undefined && input !== undefined)
    return [
      `${valueText(currency)} ${valueText(input)} in`,
      ...(output === undefined ? [] : [`${valueText(output)} out`]),
    ].join(", ");
  return JSON.stringify(value);
}

/** The members of a value that another one has differently: `cache_read 0.10, as_of 2026-11-01`. */
const membersText = (value: Fields, names: readonly string[]): string =>
  names.map((name) => `${name} ${valueText(value[name] ?? null)}`).join(", ");

/** What changes, as it was and as it becomes. Of prices and facts only what differs. */
export function changeText({ group, field, before, after }: CatalogueDifference): readonly [string, string] {
  const texts = [valueText(before), valueText(after)] as const;
  if (field === null || !isFields(before) || !isFields(after)) return texts;
  const differing = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null),
  );
  const names = group === "evidence" ? differing : differing.filter((name) => !evidence.includes(name));
  if (names.length === 0 || names.includes("value") || names.includes("currency")) return texts;
  return [membersText(before, names), membersText(after, names)];
}

/** `2 new, 1 removed, 14 changed`. */
export const countText = ({ added, removed, changed }: CatalogueComparison["counts"][number]): string =>
  [[added, "new"] as const, [removed, "removed"] as const, [changed, "changed"] as const]
    .flatMap(([count, word]) => (count > 0 ? [`${count} ${word}`] : []))
    .join(", ");

export const totalOf = ({ counts }: CatalogueComparison): number =>
  counts.reduce((sum, { added, removed, changed }) => sum + added + removed + changed, 0);

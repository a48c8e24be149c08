import { placeName } from "#contract/places.ts";
import type { ProviderPreferences } from "#contract/preferences.ts";

type Texts = {
  [Field in keyof Required<ProviderPreferences>]: (
    value: NonNullable<ProviderPreferences[Field]>,
  ) => string | null;
};

const list = (slugs: readonly string[]): string => slugs.join(", ");
const measured = (value: number | object, unit: string): string =>
  typeof value === "number"
    ? `${value} ${unit}`
    : Object.entries(value)
        .map(([percentile, limit]) => `${percentile} ${limit} ${unit}`)
        .join(", ");

/** What each preference does, in texts; null when its value changes nothing. */
const texts: Texts = {
  // Places of several preferences, which must all be met, are joined with `+`.
  data_residency: (place) => `runs in ${place.split("+").map(placeName).join(" and in ")}`,
  eu_owned: (wanted) => (wanted ? "EU-owned only" : null),
  zdr: (wanted) => (wanted ? "zero data retention" : null),
  max_retention_days: (days) => (days === 0 ? "zero data retention" : `retention of at most ${days} days`),
  data_collection: (collection) => (collection === "deny" ? "no training" : null),
  only: (slugs) => (slugs.length > 0 ? `only ${list(slugs)}` : "no provider that all of them allow"),
  ignore: (slugs) => `never ${list(slugs)}`,
  quantizations: (formats) =>
    formats.length > 0 ? `quantization ${list(formats)}` : "no quantization that all of them allow",
  max_price: (prices) =>
    `at most ${Object.entries(prices)
      .filter(([, price]) => price != null)
      .map(([name, price]) => `$${price} ${name}`)
      .join(", ")}`,
  order: (slugs) => (slugs.length > 0 ? `order: ${list(slugs)}` : null),
  sort: (sort) => {
    const by = typeof sort === "string" ? sort : sort.by;
    return {
      price: "lowest price first",
      latency: "lowest latency first",
      throughput: "highest throughput first",
    }[by];
  },
  allow_fallbacks: (allowed) => (allowed ? null : "no fallbacks"),
  require_parameters: (wanted) => (wanted ? "all parameters supported" : null),
  preferred_min_throughput: (value) => `preferably ${measured(value, "tokens/s")} or more`,
  preferred_max_latency: (value) => `preferably within ${measured(value, "s")}`,
};

/** The effect of preferences, the hard ones first. Empty when they ask for nothing. */
export function effectsOf(preferences: ProviderPreferences | null): string[] {
  if (!preferences) return [];
  const effects = (Object.keys(texts) as (keyof ProviderPreferences)[]).flatMap((field) => {
    const value = preferences[field];
    if (value == null) return [];
    const toText = texts[field] as (given: typeof value) => string | null;
    return toText(value) ?? [];
  });
  return [...new Set(effects)];
}

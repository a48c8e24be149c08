import type { ProviderPreferences } from "#contract/preferences.ts";
import { adequateCountries, eeaCountries, euCountries } from "#contract/residency.ts";
import type { Endpoint, Fact } from "#server/catalog/index.ts";
import { decimalFromPico } from "#server/platform/money.ts";

/** Why an endpoint does not satisfy one field: what was asked and what it is. */
export interface Mismatch {
  readonly wanted: unknown;
  readonly actual: unknown;
  /** Set when nobody knows, or knew too long ago: an unknown fact fails the filter that asks for it. */
  readonly fact?: "fact_unknown" | "fact_expired";
}

interface HardField {
  readonly field: keyof ProviderPreferences;
  /** The word for it in `excluded_by` (interface.md 10.3). */
  readonly word: string;
  /** Null when the endpoint satisfies the field or the field is not set. `today` is `YYYY-MM-DD`. */
  mismatch(endpoint: Endpoint, preferences: ProviderPreferences, today: string): Mismatch | null;
}

/** A slug names all endpoints of a provider, `slug/variant` exactly one. Case does not matter. */
export const names = (slug: string, endpoint: Endpoint): boolean => {
  const lower = slug.toLowerCase();
  return lower === endpoint.tag || lower === endpoint.provider.slug;
};

const namedIn = (slugs: readonly string[], endpoint: Endpoint): boolean =>
  slugs.some((slug) => names(slug, endpoint));

function factProblem(fact: Fact<unknown>, today: string): Mismatch["fact"] {
  if (fact.value === null) return "fact_unknown";
  return fact.expiresAt !== null && fact.expiresAt < today ? "fact_expired" : undefined;
}

/** Compares a sourced fact; unknown and expired ones never satisfy. */
function compare<T>(
  fact: Fact<T>,
  today: string,
  wanted: unknown,
  satisfied: (value: T) => boolean,
): Mismatch | null {
  const problem = factProblem(fact, today);
  if (problem) return { wanted, actual: fact.value, fact: problem };
  return fact.value !== null && satisfied(fact.value) ? null : { wanted, actual: fact.value };
}

const eu = new Set<string>(euCountries);
const eea = new Set<string>([...euCountries, ...eeaCountries]);
const adequate = new Set<string>([...eea, ...adequateCountries]);

/** Groups that lie wholly inside each residency word, for endpoints that promise a region without naming countries. */
const groupsInside: Record<string, readonly string[]> = {
  eu: ["EU"],
  eea: ["EU"],
  eu_adequate: ["EU", "EU_ADEQUATE"],
};

function inside(country: string, residency: string, endpoint: Endpoint): boolean {
  if (residency === "eu") return eu.has(country);
  if (residency === "eea") return eea.has(country);
  if (residency === "eu_adequate")
    return adequate.has(country) && (country !== "US" || endpoint.provider.dpfCertified);
  return country === residency.toUpperCase();
}

/** All processing countries must lie inside; with none named, a promised region must. */
function resides(endpoint: Endpoint, residency: string): boolean {
  if (endpoint.countries.length > 0)
    return endpoint.countries.every((country) => inside(country, residency, endpoint));
  const groups = groupsInside[residency] ?? (residency === "us" ? ["US"] : []);
  return endpoint.regionGroups.length > 0 && endpoint.regionGroups.every((group) => groups.includes(group));
}

const widerFormats: Record<string, readonly string[]> = { fp4: ["mxfp4", "nvfp4"], fp8: ["mxfp8"] };

/** The hard fields, in the order in which an endpoint is told the first one it fails. */
export const hardFields: readonly HardField[] = [
  {
    field: "ignore",
    word: "ignored_providers",
    mismatch: (endpoint, { ignore }) =>
      ignore && namedIn(ignore, endpoint) ? { wanted: ignore, actual: endpoint.tag } : null,
  },
  {
    field: "only",
    word: "allowed_providers",
    mismatch: (endpoint, { only }) =>
      only && !namedIn(only, endpoint) ? { wanted: only, actual: endpoint.tag } : null,
  },
  {
    field: "data_residency",
    word: "data_region",
    mismatch: (endpoint, { data_residency: wanted }) => {
      if (!wanted || resides(endpoint, wanted)) return null;
      const actual = endpoint.countries.length > 0 ? endpoint.countries : endpoint.regionGroups;
      return actual.length > 0 ? { wanted, actual } : { wanted, actual: null, fact: "fact_unknown" };
    },
  },
  {
    field: "eu_owned",
    word: "eu_owned",
    mismatch: ({ provider }, { eu_owned: wanted }, today) =>
      wanted ? compare(provider.euOwned, today, true, (owned) => owned) : null,
  },
  {
    field: "data_collection",
    word: "data_policy:training",
    mismatch: ({ training, provider }, { data_collection: wanted }, today) => {
      if (wanted !== "deny") return null;
      if (provider.canPublish === true) return { wanted, actual: "may publish" };
      return compare(training, today, wanted, (trains) => !trains);
    },
  },
  {
    field: "zdr",
    word: "data_policy:zdr",
    mismatch: ({ retentionDays }, { zdr: wanted }, today) =>
      wanted ? compare(retentionDays, today, true, (days) => days === 0) : null,
  },
  {
    field: "max_retention_days",
    word: "retention",
    mismatch: ({ retentionDays }, { max_retention_days: wanted }, today) =>
      wanted == null ? null : compare(retentionDays, today, wanted, (days) => days <= wanted),
  },
  {
    field: "quantizations",
    word: "quantization",
    mismatch: ({ quantization }, { quantizations: wanted }) => {
      if (!wanted) return null;
      const admitted = wanted.some(
        (format) => format === quantization || widerFormats[format]?.includes(quantization),
      );
      return admitted ? null : { wanted, actual: quantization };
    },
  },
  {
    field: "max_price",
    word: "max_price",
    mismatch: ({ price }, { max_price: wanted }) => {
      if (!wanted || !price) return null;
      const perMillion = (pico: bigint) => Number(decimalFromPico(pico * 1_000_000n));
      const over =
        (wanted.prompt != null && perMillion(price.input) > wanted.prompt) ||
        (wanted.completion != null && perMillion(price.output) > wanted.completion) ||
        (wanted.request != null && Number(decimalFromPico(price.request)) > wanted.request);
      if (!over) return null;
      return {
        wanted,
        actual: {
          prompt: perMillion(price.input),
          completion: perMillion(price.output),
          currency: price.currency,
        },
      };
    },
  },
];

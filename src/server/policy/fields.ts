import type { ProviderPreferences } from "#contract/preferences.ts";
import type { Fact } from "#server/catalog/index.ts";
import { decimalFromPico, type ExchangeRate, type Pico, usdFromEur } from "#server/platform/money.ts";
import { perPrice } from "./per-price.ts";
import { narrowestResidency, perhapsResides, resides } from "./residency.ts";
import type { RoutedEndpoint } from "./routed-endpoint.ts";

/** Why an endpoint does not meet one field: the requirement, the actual value, and the change that would admit it. */
export interface Mismatch {
  readonly wanted: unknown;
  readonly actual: unknown;
  /** Set if the fact is unknown or expired: an unknown fact fails the filter that requires it. */
  readonly fact?: "fact_unknown" | "fact_expired";
  /** The smallest change of this preference that admits the endpoint; null = remove the field. */
  readonly wouldAdmit: unknown;
}

export interface Moment {
  /** `YYYY-MM-DD`, for facts that expire. */
  readonly today: string;
  readonly rate: ExchangeRate;
  /** Countries `eu_adequate` stands for, EEA included. */
  readonly adequate: ReadonlySet<string>;
}

type HardName =
  | "ignore"
  | "only"
  | "data_residency"
  | "eu_owned"
  | "data_collection"
  | "zdr"
  | "max_retention_days"
  | "quantizations"
  | "max_price";

interface HardField {
  /** Null if the endpoint meets the field or the field is not set. */
  mismatch(endpoint: RoutedEndpoint, preferences: ProviderPreferences, moment: Moment): Mismatch | null;
}

/** A slug names all endpoints of a provider, `slug/variant` exactly one. Case does not matter. */
export const names = (slug: string, endpoint: RoutedEndpoint): boolean => {
  const lower = slug.toLowerCase();
  return lower === endpoint.tag || lower === endpoint.provider.slug;
};

const slugSets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Whether any slug of the list names the endpoint. A list is parsed once, for any number of endpoints. */
function namedIn(slugs: readonly string[], { tag, provider }: RoutedEndpoint): boolean {
  let known = slugSets.get(slugs);
  if (!known) {
    known = new Set(slugs.map((slug) => slug.toLowerCase()));
    slugSets.set(slugs, known);
  }
  return known.has(tag) || known.has(provider.slug);
}

/** Compares a sourced fact; unknown and expired ones never meet a requirement. */
function compare<T>(
  fact: Pick<Fact<T>, "value" | "expiresAt">,
  { today }: Moment,
  wanted: unknown,
  satisfied: (value: T) => boolean,
  wouldAdmit: (value: T) => unknown,
): Mismatch | null {
  if (fact.value === null) return { wanted, actual: null, fact: "fact_unknown", wouldAdmit: null };
  if (fact.expiresAt !== null && fact.expiresAt < today) {
    return { wanted, actual: fact.value, fact: "fact_expired", wouldAdmit: null };
  }
  return satisfied(fact.value) ? null : { wanted, actual: fact.value, wouldAdmit: wouldAdmit(fact.value) };
}

/** Whether an endpoint stores nothing, by a source that has not expired: what `zdr` requires. */
export const isZeroRetention = (
  { retentionDays: { value, expiresAt } }: RoutedEndpoint,
  today: string,
): boolean => value === 0 && (expiresAt === null || expiresAt >= today);

const widerFormats: Record<string, readonly string[]> = { fp4: ["mxfp4", "nvfp4"], fp8: ["mxfp8"] };

/** Whether a list of formats admits one: `fp4` includes `mxfp4` and `nvfp4`, `fp8` includes `mxfp8`. */
export const admitsFormat = (wanted: readonly string[], format: string): boolean =>
  wanted.some((one) => one === format || widerFormats[one]?.includes(format));

const million = 1_000_000n;

/** The figures of `max_price`, in USD. */
const usdFigures = perPrice((price, rate) => {
  const usd = (own: Pico) => Number(decimalFromPico(price.currency === "EUR" ? usdFromEur(own, rate) : own));
  return {
    prompt: usd(price.input * million),
    completion: usd(price.output * million),
    request: usd(price.request),
  };
});

/**
 * The hard fields, in the order of an endpoint's reasons. Each preference is checked separately, so adding one can
 * only reduce the choice, whatever the others are.
 */
export const hardFields: Record<HardName, HardField> = {
  ignore: {
    mismatch(endpoint, { ignore }) {
      if (!ignore || !namedIn(ignore, endpoint)) return null;
      const rest = ignore.filter((slug) => !names(slug, endpoint));
      return { wanted: ignore, actual: endpoint.tag, wouldAdmit: rest.length > 0 ? rest : null };
    },
  },
  only: {
    mismatch(endpoint, { only }) {
      if (!only || namedIn(only, endpoint)) return null;
      return { wanted: only, actual: endpoint.tag, wouldAdmit: [...only, endpoint.tag] };
    },
  },
  data_residency: {
    mismatch(endpoint, { data_residency: wanted }, { adequate, today }) {
      if (!wanted) return null;
      const places = endpoint.countries.length > 0 ? endpoint.countries : endpoint.regionGroups;
      const { placeExpiresAt } = endpoint;
      if (placeExpiresAt !== null && placeExpiresAt < today) {
        return { wanted, actual: places, fact: "fact_expired", wouldAdmit: null };
      }
      if (resides(endpoint, wanted, adequate)) return null;
      const wouldAdmit = narrowestResidency(endpoint, adequate);
      const actual = places.length === 0 ? null : places;
      return perhapsResides(endpoint, wanted, adequate)
        ? { wanted, actual, fact: "fact_unknown", wouldAdmit }
        : { wanted, actual, wouldAdmit };
    },
  },
  eu_owned: {
    mismatch: ({ provider }, { eu_owned: wanted }, moment) =>
      wanted
        ? compare(
            provider.euOwned,
            moment,
            true,
            (owned) => owned,
            () => false,
          )
        : null,
  },
  data_collection: {
    mismatch({ training, provider }, { data_collection: wanted }, moment) {
      if (wanted !== "deny") return null;
      if (provider.canPublish === true) return { wanted, actual: "may publish", wouldAdmit: "allow" };
      return compare(
        training,
        moment,
        wanted,
        (trains) => !trains,
        () => "allow",
      );
    },
  },
  zdr: {
    mismatch: ({ retentionDays }, { zdr: wanted }, moment) =>
      wanted
        ? compare(
            retentionDays,
            moment,
            true,
            (days) => days === 0,
            () => false,
          )
        : null,
  },
  max_retention_days: {
    mismatch: ({ retentionDays }, { max_retention_days: wanted }, moment) =>
      wanted == null
        ? null
        : compare(
            retentionDays,
            moment,
            wanted,
            (days) => days <= wanted,
            (days) => days,
          ),
  },
  quantizations: {
    mismatch({ quantization }, { quantizations: wanted }) {
      if (!wanted || admitsFormat(wanted, quantization)) return null;
      return { wanted, actual: quantization, wouldAdmit: [...wanted, quantization] };
    },
  },
  max_price: {
    mismatch({ price }, { max_price: wanted }, { rate }) {
      if (!wanted || !price) return null;
      const actual = usdFigures(price, rate);
      const over = (["prompt", "completion", "request"] as const).filter((name) => {
        const limit = wanted[name];
        return limit != null && actual[name] > limit;
      });
      if (over.length === 0) return null;
      const raised = Object.fromEntries(over.map((name) => [name, actual[name]]));
      return { wanted, actual, wouldAdmit: { ...wanted, ...raised } };
    },
  },
};

export const hardNames = Object.keys(hardFields) as readonly HardName[];

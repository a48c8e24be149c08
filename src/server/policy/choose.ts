import type { ProviderPreferences } from "#contract/preferences.ts";
import { type Api, type Catalogue, type Endpoint, findModel, whyUnusable } from "#server/catalog/index.ts";
import { type ExchangeRate, eurFromUsd, type Pico } from "#server/platform/money.ts";
import { hardFields, names } from "./fields.ts";

/** An endpoint that dropped out and why; `set_by` says whose wish it was. */
export interface Exclusion {
  readonly provider: string;
  readonly endpoint: string;
  readonly field: string;
  readonly excluded_by: string;
  readonly wanted: unknown;
  readonly actual: unknown;
  readonly reason?: "fact_unknown" | "fact_expired";
  readonly set_by: string;
}

export type Strategy =
  | "balanced"
  | "lowest-cost"
  | "lowest-latency"
  | "highest-throughput"
  | "explicit-order"
  | "single-provider";

/** Which endpoints may serve one model, best first, and why the others may not. */
export interface Decision {
  readonly model: string;
  readonly ranked: readonly Endpoint[];
  readonly excluded: readonly Exclusion[];
  readonly strategy: Strategy;
  readonly effective: ProviderPreferences;
}

export interface Question {
  readonly model: string;
  readonly apis: readonly Api[];
  readonly preferences: ProviderPreferences;
  /** Who set each field of `preferences`; `request` where nothing is said. */
  readonly setBy?: Partial<Record<keyof ProviderPreferences, string>>;
  /** Provider slugs this process has a credential for. */
  readonly credentials: ReadonlySet<string>;
  /** `YYYY-MM-DD`, for facts that expire. */
  readonly today: string;
}

type Standing = Omit<Exclusion, "provider" | "endpoint">;

/** What keeps an endpoint from serving anybody, whatever is asked. */
function unusable(endpoint: Endpoint, question: Question): Standing | null {
  const because = (field: string, wanted: unknown, actual: unknown): Standing => ({
    field,
    excluded_by: field,
    wanted,
    actual,
    set_by: "installation",
  });
  if (!endpoint.provider.enabled || !endpoint.enabled) return because("enabled", true, false);
  if (!question.apis.some((api) => endpoint.apis.has(api))) {
    return because("wrong_endpoint", question.apis, [...endpoint.apis]);
  }
  const missing = whyUnusable(endpoint, question.credentials);
  if (missing) return because(missing, missing === "no_base_url" ? "a base URL" : "a credential", null);
  if (endpoint.price === null) return because("unpriced", "a price", null);
  return null;
}

function refused(endpoint: Endpoint, { preferences, setBy, today }: Question): Standing | null {
  for (const { field, word, mismatch } of hardFields) {
    const found = mismatch(endpoint, preferences, today);
    if (found) {
      const { wanted, actual, fact } = found;
      return {
        field,
        excluded_by: word,
        wanted,
        actual,
        ...(fact && { reason: fact }),
        set_by: setBy?.[field] ?? "request",
      };
    }
  }
  return null;
}

/** Prompt plus completion price of one token in pico-EUR, the measure all price ranking uses. */
export function priceMeasure({ price }: Endpoint, rate: ExchangeRate): Pico {
  if (!price) return 0n;
  const own = price.input + price.output + price.request + (price.searchUnit ?? 0n);
  return price.currency === "EUR" ? own : eurFromUsd(own, rate);
}

function compareByPrice(rate: ExchangeRate) {
  return (a: Endpoint, b: Endpoint): number => {
    const difference = priceMeasure(a, rate) - priceMeasure(b, rate);
    if (difference !== 0n) return difference < 0n ? -1 : 1;
    return a.id < b.id ? -1 : 1;
  };
}

/** Listed providers first, in their order; with `allow_fallbacks: false` only they, or only the best one. */
function rank(eligible: readonly Endpoint[], preferences: ProviderPreferences, rate: ExchangeRate) {
  const byPrice = [...eligible].sort(compareByPrice(rate));
  const { order, allow_fallbacks: allowFallbacks } = preferences;
  if (order && order.length > 0) {
    const listed = order.flatMap((slug) => byPrice.filter((endpoint) => names(slug, endpoint)));
    const first = [...new Set(listed)];
    const rest = allowFallbacks === false ? [] : byPrice.filter((endpoint) => !first.includes(endpoint));
    return { ranked: [...first, ...rest], strategy: "explicit-order" as const };
  }
  if (allowFallbacks === false) return { ranked: byPrice.slice(0, 1), strategy: "single-provider" as const };
  return { ranked: byPrice, strategy: "lowest-cost" as const };
}

/** Decides for one model. Null when the catalogue does not know it. Pure: same question, same answer. */
export function choose(catalogue: Catalogue, question: Question): Decision | null {
  const model = findModel(catalogue, question.model);
  if (!model) return null;
  const eligible: Endpoint[] = [];
  const excluded: Exclusion[] = [];
  for (const endpoint of catalogue.endpointsByModel.get(model.id) ?? []) {
    const standing = unusable(endpoint, question) ?? refused(endpoint, question);
    if (standing) excluded.push({ provider: endpoint.provider.slug, endpoint: endpoint.id, ...standing });
    else eligible.push(endpoint);
  }
  return {
    model: model.id,
    excluded,
    effective: question.preferences,
    ...rank(eligible, question.preferences, catalogue.exchangeRate),
  };
}

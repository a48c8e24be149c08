import { type Api, apis, carriersOf, inferenceOperations } from "#contract/inference-operations.ts";
import type { ListedEndpoint, ListedModel, ModelListQuery, ModelPricing } from "#contract/models.ts";
import { unixSeconds } from "#server/platform/clock.ts";
import { decimalFromPico, type ExchangeRate, eurFromUsd, type Pico } from "#server/platform/money.ts";
import { whyUnusable } from "./lookup.ts";
import type { Catalogue, Endpoint, Model, Price } from "./types.ts";

type Credentials = Parameters<typeof whyUnusable>[1];

/** Recent measurements of an endpoint for its public entry. */
type Seen = Pick<ListedEndpoint, "uptime_last_30m" | "latency_last_30m" | "throughput_last_30m"> & {
  readonly cooling: boolean;
};

/** Paths of the operations that can be requested: those that endpoints offer, and those they can emulate. */
const pathsOf = (offered: ReadonlySet<Api>): string[] =>
  apis
    .filter((api) => carriersOf(api).some((carrier) => offered.has(carrier)))
    .map((api) => `/api/v1${inferenceOperations[api].path}`)
    .toSorted();

/** `0.000000400000` → `0.0000004`. */
const amount = (pico: Pico): string => decimalFromPico(pico).replace(/\.?0+$/, "");
const maybe = (pico: Pico | null): string | null => (pico === null ? null : amount(pico));

const pricingOf = (price: Price): ModelPricing => ({
  currency: price.currency,
  prompt: amount(price.input),
  completion: amount(price.output),
  request: amount(price.request),
  search_unit: maybe(price.searchUnit),
  internal_reasoning: maybe(price.reasoning),
  input_cache_read: maybe(price.cacheRead),
  input_cache_write: maybe(price.cacheWrite),
});

/** The value prices are compared by: an input and an output token, or else a search, in EUR. */
function weight(price: Price, rate: ExchangeRate): Pico {
  const own = price.input + price.output || price.request + (price.searchUnit ?? 0n);
  return price.currency === "EUR" ? own : eurFromUsd(own, rate);
}

function cheapest(endpoints: readonly Endpoint[], rate: ExchangeRate): Price | null {
  let found: Price | null = null;
  for (const { price } of endpoints)
    if (price && (!found || weight(price, rate) < weight(found, rate))) found = price;
  return found;
}

const offered = ({ enabled, provider }: Endpoint): boolean => enabled && provider.enabled;
const endpointsOf = (catalogue: Catalogue, { id }: Model): Endpoint[] =>
  (catalogue.endpointsByModel.get(id) ?? []).filter(offered);

const architectureOf = ({ inputModalities, outputModalities }: Model): ListedModel["architecture"] => ({
  modality: `${inputModalities.join("+")}->${outputModalities.join("+")}`,
  input_modalities: [...inputModalities],
  output_modalities: [...outputModalities],
});

const widest = (figures: readonly (number | null)[]): number | null => {
  const known = figures.filter((figure) => figure !== null);
  return known.length === 0 ? null : Math.max(...known);
};

/** A model as `GET /models` returns it. Usable endpoints come first. */
export function publicModel(catalogue: Catalogue, model: Model, credentials: Credentials): ListedModel {
  const all = endpointsOf(catalogue, model);
  const usable = all.filter((endpoint) => endpoint.price && whyUnusable(endpoint, credentials) === null);
  const endpoints = usable.length > 0 ? usable : all;
  const price = cheapest(endpoints, catalogue.exchangeRate);
  return {
    id: model.id,
    object: "model",
    created: unixSeconds(Date.parse(catalogue.asOf)),
    owned_by: model.author,
    canonical_slug: model.id,
    name: model.name,
    description: model.description,
    category: model.type,
    available: usable.length > 0,
    context_length: widest(endpoints.map(({ contextLength }) => contextLength)) ?? model.contextLength,
    architecture: architectureOf(model),
    pricing: price && pricingOf(price),
    top_provider: {
      context_length: widest(endpoints.map(({ contextLength }) => contextLength)),
      max_completion_tokens: widest(endpoints.map(({ maxOutputTokens }) => maxOutputTokens)),
    },
    supported_parameters: [
      ...new Set(endpoints.flatMap(({ supportedParameters }) => [...supportedParameters])),
    ].toSorted(),
    supported_api_endpoints: pathsOf(new Set(endpoints.flatMap(({ apis }) => [...apis]))),
    providers: [...new Map(endpoints.map(({ provider }) => [provider.slug, provider])).values()].map(
      ({ name, slug }) => ({ name, slug }),
    ),
    per_request_limits: null,
  };
}

/** Every offered model that matches the query, usable ones first. */
export function publicModels(
  catalogue: Catalogue,
  credentials: Credentials,
  { category, provider, supported_parameters: parameters, limit, offset = 0 }: ModelListQuery,
): { data: ListedModel[]; total_count: number } {
  const wanted = parameters?.split(",").map((name) => name.trim()) ?? [];
  const fits = [...catalogue.models.values()].filter((model) => {
    if (category && model.type !== category) return false;
    return endpointsOf(catalogue, model).some(
      (endpoint) =>
        (!provider || endpoint.provider.slug === provider) &&
        wanted.every((name) => endpoint.supportedParameters.has(name)),
    );
  });
  const data = fits
    .map((model) => publicModel(catalogue, model, credentials))
    .toSorted((a, b) => Number(b.available) - Number(a.available) || a.id.localeCompare(b.id, "en"));
  return {
    data: data.slice(offset, limit === undefined ? undefined : offset + limit),
    total_count: data.length,
  };
}

/** Every endpoint of a model, with recent measurements. */
export function publicEndpoints(
  catalogue: Catalogue,
  model: Model,
  credentials: Credentials,
  seen: (endpointId: string) => Seen,
) {
  const endpoints = endpointsOf(catalogue, model).map((endpoint): ListedEndpoint => {
    const { cooling, ...measured } = seen(endpoint.id);
    const reachable = endpoint.price !== null && whyUnusable(endpoint, credentials) === null;
    return {
      name: `${endpoint.provider.name} | ${model.id}`,
      tag: endpoint.tag,
      model_id: model.id,
      model_name: model.name,
      provider_name: endpoint.provider.name,
      context_length: endpoint.contextLength,
      max_completion_tokens: endpoint.maxOutputTokens,
      max_prompt_tokens: null,
      pricing: endpoint.price && pricingOf(endpoint.price),
      quantization: endpoint.quantization,
      supported_parameters: [...endpoint.supportedParameters].toSorted(),
      supported_api_endpoints: pathsOf(endpoint.apis),
      status: reachable ? (cooling ? -2 : 0) : -10,
      ...measured,
    };
  });
  const { id, name, description } = model;
  return { id, name, description, architecture: architectureOf(model), endpoints };
}

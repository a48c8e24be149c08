import { type Api, apis, carriersOf, inferenceOperations } from "#contract/inference-operations.ts";
import type {
  ListedEndpoint,
  ListedModel,
  ModelList,
  ModelListQuery,
  ModelPricing,
} from "#contract/models.ts";
import { unixSeconds } from "#server/platform/clock.ts";
import { decimalFromPico, type ExchangeRate, eurFromUsd, type Pico } from "#server/platform/money.ts";
import { type Credentials, whyUnusable } from "./lookup.ts";
import { retirementFields } from "./retirement.ts";
import type { Catalogue, Endpoint, Model, Price } from "./types.ts";

/** Recent measurements of an endpoint for its public entry. */
type Seen = Pick<ListedEndpoint, "uptime_last_30m" | "latency_last_30m" | "throughput_last_30m"> & {
  readonly cooling: boolean;
};
type SeenOf = (measuredAs: string) => Seen;

/** Paths of the operations that can be requested: those that endpoints offer, and those they can emulate. */
const pathsOf = (offered: ReadonlySet<Api>): string[] =>
  apis
    .filter((api) => carriersOf(api).some((carrier) => offered.has(carrier)))
    .map((api) => `/api/v1${inferenceOperations[api].path}`)
    .toSorted();

/** `0.000000400000` → `0.0000004`. */
const amount = (pico: Pico): string => decimalFromPico(pico).replace(/\.?0+$/, "");
const pricingOf = (price: Price): ModelPricing => ({
  currency: price.currency,
  prompt: amount(price.input),
  completion: amount(price.output),
  request: amount(price.request),
  ...(price.searchUnit !== null && { search_unit: amount(price.searchUnit) }),
  ...(price.reasoning !== null && { internal_reasoning: amount(price.reasoning) }),
  ...(price.cacheRead !== null && { input_cache_read: amount(price.cacheRead) }),
  ...(price.cacheWrite !== null && { input_cache_write: amount(price.cacheWrite) }),
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
  tokenizer: "Other",
  instruct_type: null,
});

const widest = (figures: readonly (number | null)[]): number | null => {
  const known = figures.filter((figure) => figure !== null);
  return known.length === 0 ? null : Math.max(...known);
};

const createdOf = ({ asOf }: Catalogue): number => unixSeconds(Date.parse(asOf));

/** A model as `GET /models` returns it. Usable endpoints come first. */
export function publicModel(catalogue: Catalogue, model: Model, credentials: Credentials): ListedModel {
  const all = endpointsOf(catalogue, model);
  const usable = all.filter((endpoint) => endpoint.price && whyUnusable(endpoint, credentials) === null);
  const endpoints = usable.length > 0 ? usable : all;
  const price = cheapest(endpoints, catalogue.exchangeRate);
  return {
    id: model.id,
    object: "model",
    created: createdOf(catalogue),
    owned_by: model.author,
    canonical_slug: model.id,
    name: model.name,
    description: model.description ?? "",
    category: model.type,
    available: usable.length > 0,
    context_length: widest(endpoints.map(({ contextLength }) => contextLength)) ?? model.contextLength,
    architecture: architectureOf(model),
    pricing: price && pricingOf(price),
    top_provider: {
      context_length: widest(endpoints.map(({ contextLength }) => contextLength)),
      max_completion_tokens: widest(endpoints.map(({ maxOutputTokens }) => maxOutputTokens)),
      is_moderated: false,
    },
    supported_parameters: [
      ...new Set(endpoints.flatMap(({ supportedParameters }) => [...supportedParameters])),
    ].toSorted(),
    supported_api_endpoints: pathsOf(new Set(endpoints.flatMap(({ apis }) => [...apis]))),
    providers: [...new Map(endpoints.map(({ provider }) => [provider.slug, provider])).values()].map(
      ({ name, slug }) => ({ name, slug }),
    ),
    per_request_limits: null,
    ...retirementFields(model),
    default_parameters: null,
    supported_voices: null,
    links: { details: `/api/v1/models/${model.id}/endpoints` },
  };
}

const namesIn = (text: string | undefined): string[] | undefined =>
  text
    ?.split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "");

/** Names of outputs that OpenRouter's clients send, and the catalogue's own. */
const outputNames: Readonly<Record<string, string>> = { embeddings: "embedding", rerank: "scores" };

/** Whether a model has what a query names. What the query does not name is not asked for. */
function filterOf(catalogue: Catalogue, query: ModelListQuery): (model: Model) => boolean {
  const { category, provider, q } = query;
  const wanted = query.supported_parameters?.split(",").map((name) => name.trim()) ?? [];
  const inputs = namesIn(query.input_modalities) ?? [];
  const outputs = namesIn(query.output_modalities)?.map((name) => outputNames[name] ?? name) ?? ["all"];
  const authors = namesIn(query.model_authors);
  const text = q?.toLowerCase() ?? "";
  return (model) =>
    (category === undefined || model.type === category) &&
    (authors === undefined || authors.includes(model.author.toLowerCase())) &&
    (model.id.toLowerCase().includes(text) || model.name.toLowerCase().includes(text)) &&
    inputs.every((name) => model.inputModalities.includes(name)) &&
    (outputs.includes("all") || model.outputModalities.some((name) => outputs.includes(name))) &&
    endpointsOf(catalogue, model).some(
      (endpoint) =>
        (!provider || endpoint.provider.slug === provider) &&
        wanted.every((name) => endpoint.supportedParameters.has(name)),
    );
}

/** The path of the page after this one; null after the last one. */
function nextPage(path: string, { limit, offset = 0, ...filter }: ModelListQuery, count: number) {
  if (limit === undefined || offset + limit >= count) return null;
  const query = { ...filter, limit: String(limit), offset: String(offset + limit) };
  return `/api/v1${path}?${new URLSearchParams(query)}`;
}

/** Which models a list is about, and where it is read. */
interface Listing {
  readonly path: string;
  /** Only the models with these IDs; without it, all. */
  readonly only?: ReadonlySet<string>;
}

/** Every offered model that matches the query, usable ones first. */
export function publicModels(
  catalogue: Catalogue,
  credentials: Credentials,
  query: ModelListQuery,
  { path, only }: Listing = { path: "/models" },
): ModelList {
  const { limit, offset = 0 } = query;
  const matches = filterOf(catalogue, query);
  const data = [...catalogue.models.values()]
    .filter((model) => (only?.has(model.id) ?? true) && matches(model))
    .map((model) => publicModel(catalogue, model, credentials))
    .toSorted((a, b) => Number(b.available) - Number(a.available) || a.id.localeCompare(b.id, "en"));
  return {
    object: "list",
    data: data.slice(offset, limit === undefined ? undefined : offset + limit),
    total_count: data.length,
    links: { next: nextPage(path, query, data.length) },
  };
}

/** The number of models that `publicModels` lists. */
export const countModels = (catalogue: Catalogue, query: ModelListQuery): number =>
  [...catalogue.models.values()].filter(filterOf(catalogue, query)).length;

function toolChoiceOf({ supportedParameters }: Endpoint): ListedEndpoint["supports_tool_choice"] {
  const supported = supportedParameters.has("tool_choice");
  return { none: supported, auto: supported, required: supported, function: supported };
}

/** An endpoint as lists show it, with recent measurements. */
function publicEndpoint(endpoint: Endpoint, credentials: Credentials, seen: SeenOf): ListedEndpoint {
  const { cooling, ...measured } = seen(endpoint.measuredAs);
  const { model } = endpoint;
  const reachable = endpoint.price !== null && whyUnusable(endpoint, credentials) === null;
  return {
    name: `${endpoint.provider.name} | ${model.id}`,
    tag: endpoint.tag,
    model_id: model.id,
    model_name: model.name,
    provider_name: endpoint.provider.name,
    context_length: endpoint.contextLength ?? model.contextLength ?? 0,
    max_completion_tokens: endpoint.maxOutputTokens,
    max_prompt_tokens: null,
    pricing: endpoint.price && pricingOf(endpoint.price),
    quantization: endpoint.quantization,
    supported_parameters: [...endpoint.supportedParameters].toSorted(),
    supported_api_endpoints: pathsOf(endpoint.apis),
    supports_implicit_caching: endpoint.price?.cacheRead != null,
    supports_tool_choice: toolChoiceOf(endpoint),
    uptime_last_5m: null,
    uptime_last_1d: null,
    status: reachable ? (cooling ? -2 : 0) : -10,
    ...measured,
  };
}

/** Every endpoint that `isListed`, by model, with recent measurements. */
export const publicEndpointsWhere = (
  catalogue: Catalogue,
  credentials: Credentials,
  seen: SeenOf,
  isListed: (endpoint: Endpoint) => boolean,
): ListedEndpoint[] =>
  [...catalogue.endpoints.values()]
    .filter((endpoint) => offered(endpoint) && endpoint.price !== null && isListed(endpoint))
    .map((endpoint) => publicEndpoint(endpoint, credentials, seen))
    .toSorted((a, b) => a.model_id.localeCompare(b.model_id, "en") || a.tag.localeCompare(b.tag, "en"));

/** Every endpoint of a model, with recent measurements. */
export function publicEndpoints(catalogue: Catalogue, model: Model, credentials: Credentials, seen: SeenOf) {
  const { id, name, description } = model;
  return {
    id,
    name,
    created: createdOf(catalogue),
    description: description ?? "",
    architecture: architectureOf(model),
    endpoints: endpointsOf(catalogue, model).map((endpoint) => publicEndpoint(endpoint, credentials, seen)),
  };
}

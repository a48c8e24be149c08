import type { Refusal } from "#contract/exclusion.ts";
import type { Api } from "#contract/inference-operations.ts";
import { isRequirement } from "#contract/parameter-classes.ts";
import { type FieldRule, fieldRule } from "#server/catalog/index.ts";
import { type Filtered, filterEndpoints } from "./filter.ts";
import type { RoutedEndpoint } from "./routed-endpoint.ts";
import type { ScopedPreferences } from "./scope.ts";

/** What a request requires of an endpoint by its size, its parameters and its content. */
export interface Needs {
  /** The minimum of prompt tokens. */
  readonly promptTokens: number;
  /** The maximum length of the answer, if the request has one. */
  readonly maxTokens: number | null;
  /** The parameters used, named as in `supported_parameters`. */
  readonly parameters: readonly string[];
  /** What the request holds besides text. */
  readonly inputModalities?: readonly string[] | undefined;
  /** What the answer has to hold besides text. */
  readonly outputModalities?: readonly string[] | undefined;
}

const unlimited = Number.POSITIVE_INFINITY;

/** The request must fit: `max_tokens` into the rest of the window and into the model's maximum answer. */
function unfit(
  { contextLength, maxOutputTokens }: RoutedEndpoint,
  { promptTokens, maxTokens }: Needs,
): Refusal | null {
  const left = (contextLength ?? unlimited) - promptTokens;
  const setBy = { scope: "request" } as const;
  if (left < 1) {
    return { field: "context_length", wanted: promptTokens + 1, actual: contextLength, set_by: setBy };
  }
  const room = Math.min(left, maxOutputTokens ?? unlimited);
  if (maxTokens === null || maxTokens <= room) return null;
  return { field: "max_tokens", wanted: maxTokens, actual: room, set_by: setBy, would_admit: room };
}

/** Endpoints that are too small for a request. */
const tooSmall = ({ eligible, excluded }: Filtered, needs: Needs): RoutedEndpoint[] =>
  [...eligible, ...excluded.map(({ endpoint }) => endpoint)].filter((endpoint) => unfit(endpoint, needs));

/** Whether every endpoint is large enough for a request. Called for each request, so it creates nothing. */
export function allFit({ eligible, excluded }: Filtered, needs: Needs): boolean {
  for (const endpoint of eligible) if (unfit(endpoint, needs)) return false;
  for (const { endpoint } of excluded) if (unfit(endpoint, needs)) return false;
  return true;
}

/** The smallest prompt for which the same endpoints are too small for the same reasons, in tokens. */
export function smallestPrompt(filtered: Filtered, needs: Needs): number {
  const { promptTokens, maxTokens } = needs;
  const needed = tooSmall(filtered, needs).map(({ contextLength, maxOutputTokens }) => {
    const window = contextLength ?? unlimited;
    if (promptTokens >= window) return window;
    const answer = maxTokens ?? 0;
    return answer > (maxOutputTokens ?? unlimited) ? 0 : window - answer + 1;
  });
  return Math.max(0, ...needed);
}

/** Whether an endpoint supports a parameter in the operation that would carry the request, the first of `apis`. */
export function supportOf(
  endpoint: RoutedEndpoint,
  apis: readonly Api[],
  name: string,
): FieldRule["support"] {
  const api = apis.find((one) => endpoint.apis.has(one)) ?? "chat";
  const rule = fieldRule(endpoint.rules, api, name);
  if (rule) return rule.support;
  // Parameters of other operations than text are known by the catalogue's list alone.
  const { supportedParameters: listed } = endpoint;
  return listed.size === 0 ? "unknown" : listed.has(name) ? "supported" : "unsupported";
}

/** Parameters without which the answer would not be what was asked for, and that the endpoint does not support. */
function unserved(endpoint: RoutedEndpoint, needs: Needs, apis: readonly Api[]): Refusal | null {
  // An endpoint without the operation is excluded for that reason alone.
  if (needs.parameters.length === 0 || !apis.some((api) => endpoint.apis.has(api))) return null;
  const wanted = needs.parameters.filter(
    (name) => isRequirement(name) && supportOf(endpoint, apis, name) === "unsupported",
  );
  if (wanted.length === 0) return null;
  return { field: "parameters", wanted, actual: null, set_by: { scope: "request" } };
}

/** Whether every parameter of the request is supported. Unknown support counts as none. */
function lacking(
  endpoint: RoutedEndpoint,
  needs: Needs,
  apis: readonly Api[],
  { setBy }: ScopedPreferences,
): Refusal | null {
  const support = needs.parameters.map((name) => supportOf(endpoint, apis, name));
  if (support.every((known) => known === "supported")) return null;
  const isUnknown = support.every((known) => known === "unknown");
  return {
    field: "require_parameters",
    wanted: needs.parameters,
    actual: isUnknown ? null : needs.parameters.filter((_, at) => support[at] === "supported"),
    ...(isUnknown && { reason: "fact_unknown" as const }),
    set_by: setBy,
    would_admit: false,
  };
}

const hasAll = (known: readonly string[], wanted: readonly string[] | undefined): boolean =>
  wanted === undefined || wanted.every((name) => known.includes(name));

/** The modalities that the model does not support. No preference can change that. */
function modalityRefusals(
  { model }: RoutedEndpoint,
  { inputModalities, outputModalities }: Needs,
): Refusal[] {
  const { inputModalities: takes, outputModalities: gives, assumedModalities } = model;
  if (hasAll(takes, inputModalities) && hasAll(gives, outputModalities)) return [];
  const refusal = (
    field: "input_modalities" | "output_modalities",
    wanted: readonly string[] | undefined,
    known: readonly string[],
  ): Refusal => ({
    field,
    wanted,
    actual: known,
    ...(assumedModalities.includes(field) && { reason: "fact_unknown" as const }),
    set_by: { scope: "request" },
  });
  const found: Refusal[] = [];
  if (!hasAll(takes, inputModalities)) found.push(refusal("input_modalities", inputModalities, takes));
  if (!hasAll(gives, outputModalities)) found.push(refusal("output_modalities", outputModalities, gives));
  return found;
}

/** Who decides about `require_parameters`: the narrowest scope that sets it. */
export const decidesParameters = (scoped: readonly ScopedPreferences[]): ScopedPreferences | undefined =>
  scoped.findLast(({ preferences }) => preferences.require_parameters != null);

/** Excludes endpoints that are too small for the request or do not support its parameters or modalities. */
export function filterByNeeds(
  filtered: Filtered,
  needs: Needs,
  apis: readonly Api[],
  decides: ScopedPreferences | undefined,
): Filtered {
  const required = decides?.preferences.require_parameters === true ? decides : null;
  return filterEndpoints(filtered, (endpoint) => {
    const found: Refusal[] = [];
    const size = unfit(endpoint, needs);
    if (size) found.push(size);
    const missing = unserved(endpoint, needs, apis);
    if (missing) found.push(missing);
    const parameters = required && lacking(endpoint, needs, apis, required);
    if (parameters) found.push(parameters);
    found.push(...modalityRefusals(endpoint, needs));
    return found;
  });
}

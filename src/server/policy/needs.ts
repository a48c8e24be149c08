import type { Refusal } from "#contract/exclusion.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { type Filtered, filterEndpoints } from "./filter.ts";
import type { ScopedPreferences } from "./scope.ts";

/** What a request needs of an endpoint by its size and its parameters. */
export interface Needs {
  /** The prompt has at least so many tokens. */
  readonly promptTokens: number;
  /** How long the answer may become, when the request says so. */
  readonly maxTokens: number | null;
  /** Names of the parameters it uses, as `supported_parameters` spells them. */
  readonly parameters: readonly string[];
}

const unlimited = Number.POSITIVE_INFINITY;

/** The request must fit: `max_tokens` into what is left of the window and into what the model may answer. */
function unfit(
  { contextLength, maxOutputTokens }: Endpoint,
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

/** Whether every parameter of the request is supported. Unknown parameters count as unsupported. */
function lacking(
  { supportedParameters: known }: Endpoint,
  { parameters }: Needs,
  { setBy }: ScopedPreferences,
): Refusal | null {
  if (parameters.every((name) => known.has(name))) return null;
  return {
    field: "require_parameters",
    wanted: parameters,
    actual: known.size === 0 ? null : parameters.filter((name) => known.has(name)),
    ...(known.size === 0 && { reason: "fact_unknown" as const }),
    set_by: setBy,
    would_admit: false,
  };
}

/** Who decides about `require_parameters`: the narrowest scope that sets it. */
export const decidesParameters = (scoped: readonly ScopedPreferences[]): ScopedPreferences | undefined =>
  scoped.findLast(({ preferences }) => preferences.require_parameters != null);

/** Excludes endpoints that are too small for the request or do not support its parameters. */
export function filterByNeeds(
  filtered: Filtered,
  needs: Needs,
  decides: ScopedPreferences | undefined,
): Filtered {
  const required = decides?.preferences.require_parameters === true ? decides : null;
  return filterEndpoints(filtered, (endpoint) => {
    const found: Refusal[] = [];
    const size = unfit(endpoint, needs);
    if (size) found.push(size);
    const parameters = required && lacking(endpoint, needs, required);
    if (parameters) found.push(parameters);
    return found;
  });
}

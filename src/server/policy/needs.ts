import type { Refusal } from "#contract/exclusion.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { type Filtered, filterEndpoints } from "./filter.ts";
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

const hasAll = (known: readonly string[], wanted: readonly string[] = []): boolean =>
  wanted.every((name) => known.includes(name));

/** The modalities that the model does not support. No preference can change that. */
function modalityRefusals({ model }: Endpoint, { inputModalities, outputModalities }: Needs): Refusal[] {
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
  decides: ScopedPreferences | undefined,
): Filtered {
  const required = decides?.preferences.require_parameters === true ? decides : null;
  return filterEndpoints(filtered, (endpoint) => {
    const found: Refusal[] = [];
    const size = unfit(endpoint, needs);
    if (size) found.push(size);
    const parameters = required && lacking(endpoint, needs, required);
    if (parameters) found.push(parameters);
    found.push(...modalityRefusals(endpoint, needs));
    return found;
  });
}

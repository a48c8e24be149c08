import type { Endpoint } from "#server/catalog/index.ts";

export type Json = Record<string, unknown>;

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Requests a stream with its usage at the end. */
export const streaming = { stream: true, stream_options: { include_usage: true } };

/** The limit of the answer's length under the provider's own name for it; nothing without one. */
export const tokenLimit = ({ provider }: Endpoint, tokens: number | null): Json =>
  tokens === null ? {} : { [provider.tokenLimitField]: tokens };

/** Sampling numbers that every record of a text request keeps. */
export const recordedSampling = [
  "temperature",
  "top_p",
  "top_k",
  "min_p",
  "top_a",
  "frequency_penalty",
  "presence_penalty",
] as const;

/** Optional request fields of OpenAI's two text operations, by the names both know. */
export const samplingParameters = [
  ...recordedSampling,
  "repetition_penalty",
  "seed",
  "stop",
  "logit_bias",
] as const;

/** Names that are not optional features of a model: every endpoint gets them. */
const always = new Set(["n", "user"]);

/** Copies the fields that are set; those an endpoint is known not to take are left out. */
export function copyFields<Name extends string>(
  request: Readonly<Partial<Record<Name, unknown>>>,
  supported: ReadonlySet<string>,
  names: readonly Name[],
  into: Json,
): Json {
  for (const name of names) {
    const value = request[name];
    if (value != null && (supported.size === 0 || always.has(name) || supported.has(name)))
      into[name] = value;
  }
  return into;
}

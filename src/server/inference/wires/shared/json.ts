import type { Endpoint } from "#server/catalog/index.ts";
import type { Sending } from "#server/inference/parameters/send.ts";

export type Json = Record<string, unknown>;

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Requests a stream with its usage at the end. */
export const streaming = { stream: true, stream_options: { include_usage: true } };

/** For providers that store chats unless a request says otherwise: what a client has stored is stored here. */
export const notStored = { store: false };

/** The client's own limit of the answer's length. */
interface AskedLimit {
  readonly name: string;
  /** Null if it set none. */
  readonly tokens: number | null;
}

/** The limit of the answer's length under the provider's own name for it; nothing without one. */
export function tokenLimit({ provider }: Endpoint, { maxTokens, changes }: Sending, asked: AskedLimit): Json {
  if (maxTokens === null) return {};
  const { tokenLimitField: theirs } = provider;
  if (asked.tokens !== null && asked.name !== theirs) changes.translate(asked.name, theirs);
  if (asked.tokens !== null && maxTokens < asked.tokens) changes.clamp(asked.name);
  return { [theirs]: maxTokens };
}

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

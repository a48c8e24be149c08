import type { Api } from "#contract/inference-operations.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import type { Json } from "../wires/shared/json.ts";

/** One request to one upstream and what bounds it. */
export interface Exchange {
  readonly outbound: Outbound;
  /** In the standard JSON of the operation: OpenAI's, and for rerank Jina's. */
  readonly body: Json;
  readonly generationId: string;
  /** On the monotonic clock. */
  readonly deadlineMs: number;
  /** How long the answer may pause; shorter once it is complete and only its usage may follow. */
  readonly idleTimeoutMs: () => number;
  readonly signal: AbortSignal;
}

/** Tells an upstream's log, and the sandbox's memory, which generation a request belongs to. */
export const correlationHeader = "x-portolan-generation";

/**
 * One operation of one endpoint with one credential. Whatever the provider speaks, requests and answers here are
 * the operation's standard JSON, so that every operation works on every kind. Both throw `AttemptError` or
 * `OutboundError`.
 */
export interface Upstream {
  complete(exchange: Exchange): Promise<unknown>;
  /** Events in the batches they arrive in. Whether the answer is complete, its events say. */
  stream(exchange: Exchange): AsyncGenerator<readonly unknown[], void, undefined>;
}

/** A GET request that asks nothing of a model, for the credential of a provider at this address. */
export type Probe = (
  baseUrl: string,
  credential: string,
) => { readonly url: URL; readonly headers: Record<string, string> };

/** The list of models, with the credential in the header a provider wants it in. */
export const listsModels =
  (headersOf: (credential: string) => Record<string, string>): Probe =>
  (baseUrl, credential) => ({
    url: new URL(`${baseUrl.replace(/\/+$/, "")}/models`),
    headers: { accept: "application/json", ...headersOf(credential) },
  });

export const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });

/** A way of speaking to providers. One file each, one line in `kinds.ts`. */
export interface ProviderKind {
  readonly kind: string;
  readonly title: string;
  /** The way to an operation, or null when this kind does not speak it. */
  upstream(endpoint: Endpoint, api: Api, credential: string | undefined): Upstream | null;
  /** The cheapest request only a valid credential is answered 200; absent when there is none. */
  readonly probe?: Probe;
}

import type { Api } from "#contract/inference-operations.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import type { Batches } from "#server/platform/batches.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import type { Json } from "../wires/shared/json.ts";

/** One request to one upstream, with its limits. */
export interface Exchange {
  readonly outbound: Outbound;
  /** In the standard JSON of the operation: OpenAI's, and for rerank Jina's. */
  readonly body: Json;
  /** Headers of the client about the protocol. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly generationId: string;
  /** On the monotonic clock. */
  readonly deadlineMs: number;
  /** How long the answer may pause; shorter once it is complete and only its usage may follow. */
  readonly idleTimeoutMs: () => number;
  readonly signal: AbortSignal;
  /** Gets the names of fields that do not reach the provider as they were asked for. Called at most once. */
  readonly onDropped?: (names: readonly string[]) => void;
}

/** Identifies the generation in an upstream's log, and in the sandbox. */
export const correlationHeader = "x-portolan-generation";

/** Stands behind the last event of a stream whose end is already known, so that nothing waits for the connection. */
export const endOfEvents = Symbol("end of events");

/**
 * One operation of one endpoint with one credential. Requests and answers here are the operation's standard JSON, so
 * that every operation works on every kind. Both throw `AttemptError` or `OutboundError`.
 */
export interface Upstream {
  complete(exchange: Exchange): Promise<unknown>;
  /** Events in the batches they arrive in, the last maybe `endOfEvents`. They show whether the answer is complete. */
  stream(exchange: Exchange): Batches<unknown>;
}

/** A GET request that uses no model, with the credential of a provider at this address. */
export type Probe = (
  baseUrl: string,
  credential: string,
) => { readonly url: URL; readonly headers: Record<string, string> };

/** Requests the list of models, with the credential in the header of the provider. */
export const listsModels =
  (headersOf: (credential: string) => Record<string, string>): Probe =>
  (baseUrl, credential) => ({
    url: new URL(`${baseUrl.replace(/\/+$/, "")}/models`),
    headers: { accept: "application/json", ...headersOf(credential) },
  });

export const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });

/** How a provider is called. One file each, one line in `kinds.ts`. */
export interface ProviderKind {
  readonly kind: string;
  readonly title: string;
  /** It cannot be called without a credential. */
  readonly needsCredential?: boolean;
  /** The upstream of an operation, or null if this kind does not support it. */
  upstream(endpoint: Endpoint, api: Api, credential: string | undefined): Upstream | null;
  /** The cheapest request that requires a valid credential; absent if there is none. */
  readonly probe?: Probe;
}

import type { Billing } from "#server/billing/index.ts";
import type { BudgetIndex } from "#server/budgets/index.ts";
import type { Catalogue } from "#server/catalog/index.ts";
import type { Broadcast } from "#server/destinations/index.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import type { Router, Sessions, Statistics } from "#server/policy/index.ts";
import type { TagIndex } from "#server/tags/index.ts";
import type { RefusedFields } from "../parameters/refused-fields.ts";
import type { Generation } from "./generation.ts";
import type { RequestMeta } from "./generation-records.ts";
import type { Chunk, Operation } from "./operation.ts";
import type { Credentials, Target } from "./own-credentials.ts";
import type { InferenceRequest, RequestEstimate } from "./request.ts";
import type { RequestHold } from "./request-hold.ts";
import type { Upstreams } from "./upstreams.ts";

export interface InferenceDeps {
  readonly billing: Billing;
  /** The current budgets. */
  readonly budgets: () => BudgetIndex;
  /** The current tags of organisations. */
  readonly tags: () => TagIndex;
  readonly broadcast: Broadcast;
  /** The current catalogue of an organisation: another object after an entry, a price or the exchange rate changed. */
  readonly catalogue: (orgId: string) => Catalogue;
  /** The engine over the current catalogue of an organisation. */
  readonly router: (orgId: string) => Router;
  readonly statistics: Statistics;
  readonly sessions: Sessions;
  readonly upstreams: Upstreams;
  readonly refusedFields: RefusedFields;
  readonly credentials: Credentials;
  readonly outbound: Outbound;
  /** To the providers of organisations. */
  readonly ownOutbound: Outbound;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface InferenceCall extends RequestMeta {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** The client's headers about the protocol of the operation, for endpoints that speak it. */
  readonly protocolHeaders?: Readonly<Record<string, string>>;
  /** How long all attempts together may take, if not the usual time. */
  readonly totalTimeoutMs?: number;
  /** After this time a stream begins without content, so that proxies do not close the connection; absent: never. */
  readonly beginAfterMs?: number;
}

/** The state of one request between admission and its end. */
export interface RequestContext<
  Request extends InferenceRequest = InferenceRequest,
  C extends Chunk = Chunk,
  Complete = unknown,
> {
  readonly deps: InferenceDeps;
  readonly call: InferenceCall;
  readonly operation: Operation<Request, C, Complete>;
  readonly request: Request;
  readonly estimate: RequestEstimate;
  readonly candidates: readonly Target[];
  readonly generation: Generation;
  readonly hold: RequestHold;
  /** The session of the request; null if it names none. */
  readonly session: string | null;
  readonly deadlineMs: number;
}

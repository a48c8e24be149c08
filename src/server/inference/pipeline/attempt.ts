import { type ErrorCode, noEligibleProvider } from "#contract/errors.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { outboundTo } from "../outbound-to.ts";
import { leaveOut } from "../parameters/refused-fields.ts";
import type { Exchange, Upstream } from "../providers/kind.ts";
import { isFutile } from "./error-rules.ts";
import {
  AttemptError,
  type AttemptFailure,
  malformed,
  toAttemptError,
  unsupported,
  unsupportedField,
} from "./failures.ts";
import { fanOut } from "./fan-out.ts";
import { metricLabel } from "./metric-label.ts";
import type { Chunk, Reader, Wire } from "./operation.ts";
import type { Target } from "./own-credentials.ts";
import type { InferenceRequest } from "./request.ts";
import type { RequestContext } from "./request-context.ts";
import { routingHeaders } from "./result.ts";
import { tokenLimitFor } from "./token-limits.ts";

/** An endpoint that is about to be called. */
export interface Attempt<C extends Chunk> {
  readonly upstream: Upstream;
  readonly exchange: Exchange;
  readonly reader: Reader<C>;
}

function begin<Request extends InferenceRequest, C extends Chunk, Complete>(
  ctx: RequestContext<Request, C, Complete>,
  target: Target,
): Attempt<C> {
  const { deps, request, generation, call, operation, deadlineMs } = ctx;
  const { endpoint, own, shared } = target;
  let wire: Wire<Request, C> | undefined;
  let upstream: Upstream | null = null;
  for (const candidate of operation.wires(request)) {
    if (!endpoint.apis.has(candidate.api) || candidate.serves?.(request, endpoint) === false) continue;
    wire = candidate;
    upstream = deps.upstreams(endpoint, wire.api, own ?? shared ?? null);
    if (upstream) break;
  }
  const { notInChat } = ctx.estimate;
  if (!wire || !upstream) throw notInChat ? unsupportedField(notInChat.param) : unsupported("this operation");
  generation.over(wire.api);
  const maxTokens = tokenLimitFor(ctx.estimate, target);
  if (maxTokens !== null && ctx.estimate.maxTokens === null) generation.limited(maxTokens);
  const sending = {
    maxTokens,
    stream: request.stream === true,
    changes: generation.parameterChanges(),
  };
  const refused = deps.refusedFields.of(endpoint.measuredAs);
  const { encode, split } = wire;
  const reader = wire.reader(request);
  const { idleTimeoutMs, endTimeoutMs } = limits.upstream;
  const bodies = (split?.(request, endpoint) ?? [request]).map((one) => {
    const body = encode(one, endpoint, sending);
    leaveOut(refused, body, sending.changes);
    return body;
  });
  return {
    upstream: bodies.length > 1 ? fanOut(upstream, bodies) : upstream,
    exchange: {
      outbound: outboundTo(deps, endpoint.provider),
      body: bodies[0] ?? {},
      ...(wire.headers && { headers: wire.headers(request) }),
      generationId: generation.id,
      deadlineMs,
      idleTimeoutMs: () => (reader.finished() ? endTimeoutMs : idleTimeoutMs),
      signal: call.signal,
      onDropped: (names) => {
        for (const name of names) sending.changes.drop(name);
      },
    },
    reader,
  };
}

/** Like `begin`. What an endpoint cannot be called with, such as an invalid address, does not stop the others. */
function begun<Request extends InferenceRequest, C extends Chunk, Complete>(
  ctx: RequestContext<Request, C, Complete>,
  target: Target,
): Attempt<C> {
  try {
    return begin(ctx, target);
  } catch (error) {
    if (error instanceof AttemptError || error instanceof AppError) throw error;
    ctx.deps.log.error(
      { event: "attempt", generation_id: ctx.generation.id, error },
      "A request to an endpoint cannot be made",
    );
    throw unsupported("this operation");
  }
}

/** Temporary failures: `Retry-After` comes from the provider, or from our default. */
const passing: ReadonlySet<ErrorCode> = new Set(["RATE_LIMIT_EXCEEDED", "SERVICE_UNAVAILABLE"]);

/** Every attempt failed; `failure` is that of the last one. */
export class ExhaustedError extends AppError {
  readonly failure: AttemptFailure;
  constructor(failure: AttemptFailure, details: ConstructorParameters<typeof AppError>[2]) {
    super(failure.code, failure.message, details);
    this.failure = failure;
  }
}

/** The answer to the client if every attempt failed: the last failure, with a list of all. */
function exhausted({ generation }: Pick<RequestContext, "generation">, error: AttemptError): AppError {
  const { outcome, parameter } = error.failure;
  const isOurs = outcome === "unsupported" && parameter !== undefined;
  const { failure } = isOurs ? unsupportedField(generation.parameterChanges().nameOf(parameter)) : error;
  const waitMs = failure.retryAfterMs ?? (passing.has(failure.code) ? limits.upstream.retryAfterMs : null);
  const retryAfter: Record<string, string> =
    waitMs === null ? {} : { "retry-after": String(Math.ceil(waitMs / 1000)) };
  return new ExhaustedError(failure, {
    param: failure.parameter ?? failure.invalidField ?? null,
    headers: {
      ...routingHeaders(generation),
      ...retryAfter,
      ...(isFutile(failure) && { "x-should-retry": "false" }),
    },
    metadata: {
      ...(failure.errorType && { error_type: failure.errorType }),
      provider: generation.served()?.endpoint.provider.slug ?? null,
      previous_errors: generation.attempts.map(({ provider, outcome, status }) => ({
        provider,
        code: outcome,
        status,
      })),
    },
  });
}

/** Failures that another credential for the same endpoint may avoid. */
const aboutCredential: ReadonlySet<string> = new Set([
  "credential",
  "quota",
  "over_rate_limit",
  "rate_limited",
]);

/**
 * Calls one endpoint after the other until one has begun to answer. `use` resolves once the answer is certain:
 * complete, or with its first content. Throws the last failure as `AppError`.
 */
export async function tryEach<Request extends InferenceRequest, C extends Chunk, Complete, T>(
  ctx: RequestContext<Request, C, Complete>,
  use: (attempt: Attempt<C>) => Promise<T>,
): Promise<T> {
  const { generation, deps, session } = ctx;
  const { statistics } = deps;
  let last: AttemptError | undefined;
  let modelGivenUp = -1;
  let endpointGivenUp = "";
  const withoutField = new Set<string>();
  const queue = [...ctx.candidates];
  for (let candidate = queue.shift(); candidate; candidate = queue.shift()) {
    if (candidate.modelIndex === modelGivenUp || candidate.endpoint.id === endpointGivenUp) continue;
    const sinceMs = generation.elapsedMs();
    const provider = metricLabel(candidate.endpoint.provider);
    const { id, measuredAs } = candidate.endpoint;
    generation.trying(candidate);
    statistics.trying(measuredAs);
    try {
      const result = await use(begun(ctx, candidate));
      statistics.succeeded(measuredAs);
      if (ctx.request.stream === true) statistics.firstContent(measuredAs, generation.tryingMs());
      if (session !== null) deps.sessions.served(session, id);
      generation.attempted(candidate.endpoint, "ok", 200, sinceMs);
      deps.metrics.attempts.inc({ provider, outcome: "ok" });
      return result;
    } catch (error) {
      last = toAttemptError(error);
      const ofCredential = aboutCredential.has(last.failure.outcome);
      // A problem of an organisation's own credential says nothing about the endpoint for others.
      if (last.failure.blame === "provider" && !(candidate.own && ofCredential))
        statistics.failed(measuredAs, last.failure.retryAfterMs);
      else statistics.undecided(measuredAs);
      generation.attempted(candidate.endpoint, last.failure.outcome, last.failure.status, sinceMs);
      deps.metrics.attempts.inc({ provider, outcome: last.failure.outcome });
      const { retry, parameter } = last.failure;
      // Once for each endpoint, so that a request is never sent more than twice to it.
      const isRefused =
        parameter !== undefined &&
        last.failure.status !== null &&
        !ctx.call.signal.aborted &&
        !withoutField.has(id);
      if (isRefused && deps.refusedFields.refused(measuredAs, parameter)) {
        withoutField.add(id);
        queue.unshift(candidate);
        continue;
      }
      if (retry === "never" || ctx.call.signal.aborted) break;
      if (!ofCredential) endpointGivenUp = id;
      if (retry === "model") modelGivenUp = candidate.modelIndex;
    }
  }
  if (!last)
    throw new AppError("SERVICE_UNAVAILABLE", "No provider is left to try", {
      headers: { ...routingHeaders(generation), "x-should-retry": "false" },
      metadata: { error_type: noEligibleProvider },
    });
  throw exhausted(ctx, last);
}

/** One complete answer. Throws `AttemptError` or `OutboundError`. */
export async function readComplete<C extends Chunk>({ upstream, exchange, reader }: Attempt<C>): Promise<C> {
  const answer = reader.answer(await upstream.complete(exchange));
  if (!answer.hasContent) throw malformed("it has no content", 200);
  return answer;
}

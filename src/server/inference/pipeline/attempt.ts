import { type ErrorCode, noEligibleProvider } from "#contract/errors.ts";
import { clock } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { OutboundError } from "#server/platform/outbound.ts";
import type { Exchange, Upstream } from "../providers/kind.ts";
import {
  type AttemptError,
  type AttemptFailure,
  malformed,
  toAttemptError,
  tooSlow,
  unsayable,
} from "./failures.ts";
import { severally } from "./fan-out.ts";
import type { Part, Reader, Wire } from "./operation.ts";
import type { Target } from "./own-credentials.ts";
import { maxTokensFor } from "./plan.ts";
import type { InferenceRequest } from "./request.ts";
import type { Job } from "./request-context.ts";
import { routingHeaders } from "./result.ts";
import { createPace } from "./throughput-guard.ts";

/** One endpoint about to be asked. */
export interface Attempt<P extends Part> {
  readonly upstream: Upstream;
  readonly exchange: Exchange;
  readonly reader: Reader<P>;
}

function begin<Request extends InferenceRequest, P extends Part, Whole>(
  job: Job<Request, P, Whole>,
  { endpoint, own, shared }: Target,
): Attempt<P> {
  const { parts, request, generation, call, operation, deadlineMs } = job;
  let wire: Wire<Request, P> | undefined;
  let upstream: Upstream | null = null;
  for (const candidate of operation.wires(request)) {
    if (!endpoint.apis.has(candidate.api)) continue;
    wire = candidate;
    upstream = parts.upstreams(endpoint, wire.api, own ?? shared ?? null);
    if (upstream) break;
  }
  if (!wire || !upstream) throw unsayable("this operation");
  const maxTokens = maxTokensFor(job.demand, endpoint);
  const { encode, split } = wire;
  const reader = wire.reader(request);
  const { idleTimeoutMs, endTimeoutMs } = limits.upstream;
  const bodies = (split?.(request) ?? [request]).map((one) =>
    encode(one, endpoint, maxTokens, request.stream === true),
  );
  return {
    upstream: bodies.length > 1 ? severally(upstream, bodies) : upstream,
    exchange: {
      outbound: parts.outbound,
      body: bodies[0] ?? {},
      generationId: generation.id,
      deadlineMs,
      idleTimeoutMs: () => (reader.finished() ? endTimeoutMs : idleTimeoutMs),
      signal: call.signal,
    },
    reader,
  };
}

/** What passes by itself: the client is told when to come back, by the provider or by us. */
const passing: ReadonlySet<ErrorCode> = new Set(["RATE_LIMIT_EXCEEDED", "SERVICE_UNAVAILABLE"]);

/** Every attempt failed; `failure` is that of the last. */
export class ExhaustedError extends AppError {
  readonly failure: AttemptFailure;
  constructor(failure: AttemptFailure, details: ConstructorParameters<typeof AppError>[2]) {
    super(failure.code, failure.message, details);
    this.failure = failure;
  }
}

/** The answer to the client when every attempt failed: the last failure, with all of them listed. */
function exhausted({ generation }: Pick<Job, "generation">, { failure }: AttemptError): AppError {
  const waitMs = failure.retryAfterMs ?? (passing.has(failure.code) ? limits.upstream.retryAfterMs : null);
  const retryAfter: Record<string, string> =
    waitMs === null ? {} : { "retry-after": String(Math.ceil(waitMs / 1000)) };
  return new ExhaustedError(failure, {
    headers: { ...routingHeaders(generation), ...retryAfter },
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

/** Failures another credential for the same endpoint may mend. */
const aboutCredential: ReadonlySet<string> = new Set(["credential", "rate_limited"]);

/**
 * Asks one endpoint after the other until one has begun to answer. `use` resolves once the answer is certain:
 * whole, or with its first content. Throws the last failure as `AppError`.
 */
export async function tryEach<Request extends InferenceRequest, P extends Part, Whole, T>(
  job: Job<Request, P, Whole>,
  use: (attempt: Attempt<P>) => Promise<T>,
): Promise<T> {
  const { generation, parts, session } = job;
  const { statistics } = parts;
  let last: AttemptError | undefined;
  let modelGivenUp = -1;
  let endpointGivenUp = "";
  for (const candidate of job.candidates) {
    if (candidate.modelIndex === modelGivenUp || candidate.endpoint.id === endpointGivenUp) continue;
    const sinceMs = generation.elapsedMs();
    const provider = candidate.endpoint.provider.slug;
    const { id } = candidate.endpoint;
    generation.trying(candidate);
    statistics.trying(id);
    try {
      const result = await use(begin(job, candidate));
      statistics.succeeded(id);
      if (job.request.stream === true) statistics.firstContent(id, generation.tryingMs());
      if (session !== null) parts.sessions.served(session, id);
      generation.attempted(candidate.endpoint, "ok", 200, sinceMs);
      parts.metrics.attempts.inc({ provider, outcome: "ok" });
      return result;
    } catch (error) {
      last = toAttemptError(error);
      const ofCredential = aboutCredential.has(last.failure.outcome);
      // What is the matter with somebody's own credential says nothing about the endpoint for others.
      if (last.failure.blame === "provider" && !(candidate.own && ofCredential))
        statistics.failed(id, last.failure.retryAfterMs);
      else statistics.undecided(id);
      generation.attempted(candidate.endpoint, last.failure.outcome, last.failure.status, sinceMs);
      parts.metrics.attempts.inc({ provider, outcome: last.failure.outcome });
      const { retry } = last.failure;
      if (retry === "never" || job.call.signal.aborted) break;
      if (!ofCredential) endpointGivenUp = id;
      if (retry === "model") modelGivenUp = candidate.modelIndex;
    }
  }
  if (!last)
    throw new AppError("SERVICE_UNAVAILABLE", "No provider was left to ask", {
      headers: { ...routingHeaders(generation), "x-should-retry": "false" },
      metadata: { error_type: noEligibleProvider },
    });
  throw exhausted(job, last);
}

/** One complete answer. Throws `AttemptError` or `OutboundError`. */
export async function readWhole<P extends Part>({ upstream, exchange, reader }: Attempt<P>): Promise<P> {
  const answer = reader.answer(await upstream.whole(exchange));
  if (!answer.hasContent) throw malformed("it has no content", 200);
  return answer;
}

/** Whether a connection failed behind the end of an answer, which takes nothing away from it. */
const isBehindEnd = (error: unknown, reader: Reader<Part>, signal: AbortSignal): boolean =>
  error instanceof OutboundError && reader.finished() && !signal.aborted;

/**
 * The parts of a streamed answer, in batches; the last one says how it ended. Throws `AttemptError` or
 * `OutboundError` when the upstream fails, or ends before it said that its answer is complete.
 */
export async function* readStream<P extends Part>({
  upstream,
  exchange,
  reader,
}: Attempt<P>): AsyncGenerator<readonly P[], void, undefined> {
  const batches = upstream.stream(exchange);
  const pace = createPace(limits.upstream.slow);
  let begun = false;
  try {
    for (;;) {
      const askedMs = clock.monotonicMs();
      const { value, done } = await batches.next();
      if (done) break;
      if (begun && pace.waited(clock.monotonicMs() - askedMs, value.length) && !reader.finished())
        throw tooSlow();
      const parts: P[] = [];
      for (const event of value) {
        const part = reader.event(event);
        if (!part) continue;
        parts.push(part);
        begun ||= part.hasContent;
      }
      if (parts.length > 0) yield parts;
    }
  } catch (error) {
    if (!isBehindEnd(error, reader, exchange.signal)) throw error;
  } finally {
    await batches.return();
  }
  yield [reader.end()];
}

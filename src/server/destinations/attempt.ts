import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { type Outbound, OutboundError } from "#server/platform/outbound.ts";
import { retryAfterOf } from "./backoff.ts";
import { type DestinationKind, type DestinationResponse, type Send, succeeded } from "./kind.ts";
import type { Trace } from "./trace/trace.ts";

/** The result of an attempt. `reason` is our own text: nothing a destination answers reaches people or logs. */
export type AttemptResult =
  | { readonly outcome: "delivered"; readonly status: number }
  /** Part of the request was refused, and the destination does not say which. */
  | { readonly outcome: "partly"; readonly status: number; readonly reason: string }
  | {
      /** `later`: the same may succeed. `never`: it will not. `gone`: the destination wants nothing any more. */
      readonly outcome: "later" | "never" | "gone";
      readonly status: number | null;
      readonly reason: string;
      readonly retryAfterMs: number | null;
    };

const cut = async (response: Awaited<ReturnType<Outbound["send"]>>): Promise<Buffer> => {
  try {
    return await response.bytes(limits.destinations.responseBytesMax);
  } catch (error) {
    // The status decides; only few types read the body.
    if (error instanceof OutboundError && error.failure === "too_large") return Buffer.alloc(0);
    throw error;
  }
};

/** The sender that types get: guarded, bounded in time and size, without redirects. */
export const senderOver =
  (
    outbound: Outbound,
    signal?: AbortSignal,
    { requestTimeoutMs }: { requestTimeoutMs: number } = limits.destinations,
  ): Send =>
  async ({ method, url, headers = {}, body }) => {
    const response = await outbound.send({
      url: new URL(url),
      method,
      headers: { ...headers },
      ...(body !== undefined && { body }),
      firstByteTimeoutMs: requestTimeoutMs,
      idleTimeoutMs: requestTimeoutMs,
      deadlineMs: clock.monotonicMs() + requestTimeoutMs,
      ...(signal && { signal }),
    });
    const header = (name: string) => {
      const value = response.headers[name];
      return typeof value === "string" ? value : undefined;
    };
    return {
      status: response.status,
      headers: { "retry-after": header("retry-after"), "content-type": header("content-type") },
      body: await cut(response),
    };
  };

/** Failures before an answer, in our own words. */
export const failureReasons: Record<OutboundError["failure"], string> = {
  refused: "The connection was refused",
  blocked: "The address may not be reached from here",
  connect: "The connection failed",
  timeout: "No answer came in time",
  cut: "The answer was cut off",
  too_large: "The answer was too large",
  aborted: "The attempt was given up because the process stops",
};

const retried = new Set([429, 502, 503, 504]);

/** A partial refusal is permanent: OTLP forbids to send the same data again. */
function judgeAccepted({ status, refused }: DestinationResponse): AttemptResult {
  if (!refused?.count) return { outcome: "delivered", status };
  const { count, of } = refused;
  const reason = `Answered ${status}, and refused ${Math.min(count, of)} of the ${of} spans of the request`;
  return count < of
    ? { outcome: "partly", status, reason: `${reason}, without saying which` }
    : { outcome: "never", status, reason, retryAfterMs: null };
}

function judge({ retryAlso = [] }: DestinationKind, response: DestinationResponse): AttemptResult {
  const { status, headers } = response;
  if (succeeded(status)) return judgeAccepted(response);
  const retryAfterMs = retryAfterOf(headers["retry-after"], clock.nowMs());
  const reason =
    status >= 300 && status < 400
      ? `Answered ${status}, a redirect: redirects are not followed`
      : `Answered ${status}`;
  if (status === 410) return { outcome: "gone", status, reason, retryAfterMs: null };
  const later = retried.has(status) || retryAlso.includes(status);
  return { outcome: later ? "later" : "never", status, reason, retryAfterMs: later ? retryAfterMs : null };
}

/** Sends traces to a destination once. Never throws because of the destination. */
export async function attempt(
  kind: DestinationKind,
  config: object,
  traces: readonly Trace[],
  send: Send,
): Promise<AttemptResult> {
  try {
    return judge(kind, await kind.deliver(config, traces, { send, nowMs: clock.nowMs() }));
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { outcome: "later", status: null, reason: failureReasons[error.failure], retryAfterMs: null };
  }
}

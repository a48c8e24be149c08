import type { ErrorCode } from "#contract/errors.ts";
import { clock } from "#server/platform/clock.ts";
import { OutboundError, type OutboundFailure } from "#server/platform/outbound.ts";

/** How one attempt failed and whether another endpoint may be asked. */
export interface AttemptFailure {
  /** A word for records and metrics. */
  readonly outcome: string;
  readonly status: number | null;
  readonly retry: boolean;
  /** Whose doing it was. Only a provider's own faults count against its endpoint. */
  readonly blame: "provider" | "operator" | "request" | "client";
  /** What the client is told when this was the last attempt. */
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfterMs: number | null;
}

export class AttemptError extends Error {
  override readonly name = "AttemptError";
  readonly failure: AttemptFailure;
  constructor(failure: AttemptFailure, cause?: unknown) {
    super(failure.message, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}

type Row = Pick<AttemptFailure, "outcome" | "retry" | "blame" | "code" | "message">;

const rejected: Row = {
  outcome: "rejected",
  retry: false,
  blame: "request",
  code: "BAD_REQUEST",
  message: "The provider did not accept the request's parameters",
};
const credential: Row = {
  outcome: "credential",
  retry: true,
  blame: "operator",
  code: "PROVIDER_ERROR",
  message: "The provider did not accept this installation's credential",
};
const serverError: Row = {
  outcome: "server_error",
  retry: true,
  blame: "provider",
  code: "PROVIDER_ERROR",
  message: "The provider reported an error",
};

const timeout: Row = {
  outcome: "timeout",
  retry: true,
  blame: "provider",
  code: "PROVIDER_TIMEOUT",
  message: "The provider took too long",
};
const overloaded: Row = {
  outcome: "overloaded",
  retry: true,
  blame: "provider",
  code: "SERVICE_UNAVAILABLE",
  message: "The provider is overloaded",
};

/** Upstream statuses that mean something of their own; other 4xx are the request's fault, 5xx the provider's. */
const byStatus: Record<number, Row> = {
  401: credential,
  402: credential,
  403: credential,
  404: { ...serverError, outcome: "model_missing", message: "The provider does not serve this model" },
  408: timeout,
  413: { ...rejected, code: "PAYLOAD_TOO_LARGE", message: "The provider finds the request too large" },
  429: {
    outcome: "rate_limited",
    retry: true,
    blame: "provider",
    code: "RATE_LIMIT_EXCEEDED",
    message: "The provider is at its limit",
  },
  503: overloaded,
  504: timeout,
  524: timeout,
  529: overloaded,
};

const byFailure: Record<OutboundFailure, Row> = {
  refused: { ...serverError, outcome: "refused", message: "The provider could not be reached" },
  blocked: {
    ...serverError,
    outcome: "blocked",
    blame: "operator",
    message: "The provider's address is not allowed",
  },
  connect: { ...serverError, outcome: "refused", message: "The provider could not be reached" },
  timeout,
  cut: { ...serverError, outcome: "cut", message: "The provider's answer was cut off" },
  too_large: { ...serverError, outcome: "too_large", message: "The provider's answer was too large" },
  aborted: { ...serverError, outcome: "aborted", blame: "client", message: "The request was given up" },
};

const longestWaitMs = 300_000;

/** `Retry-After` in milliseconds: seconds or an HTTP date, at most 300 s; null when absent or senseless (F9). */
export function retryAfterMs(header: string | string[] | undefined): number | null {
  if (typeof header !== "string") return null;
  const text = header.trim();
  const waitMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - clock.nowMs();
  return Number.isFinite(waitMs) && waitMs > 0 ? Math.min(waitMs, longestWaitMs) : null;
}

/** The failure an upstream's status stands for. The upstream's own words are never passed on. */
export function failureOfStatus(status: number, retryAfter: string | string[] | undefined): AttemptError {
  const row = byStatus[status] ?? (status >= 500 ? serverError : rejected);
  return new AttemptError({ ...row, status, retryAfterMs: retryAfterMs(retryAfter) });
}

/** The provider answered, but not with what its protocol promises. */
export const malformed = (what: string, status: number): AttemptError =>
  new AttemptError({
    outcome: "malformed",
    retry: true,
    blame: "provider",
    code: "PROVIDER_ERROR",
    message: `The provider's answer could not be read: ${what}`,
    status,
    retryAfterMs: null,
  });

/** A fault of ours in the middle of a stream, in the words a client may hear. */
export const internalFailure: AttemptFailure = {
  outcome: "internal",
  retry: false,
  blame: "operator",
  code: "INTERNAL_ERROR",
  message: "Something went wrong on our side. Quote the request id when you report it.",
  status: null,
  retryAfterMs: null,
};

export const isAttemptFailure = (thrown: unknown): boolean =>
  thrown instanceof AttemptError || thrown instanceof OutboundError;

/** Anything thrown in an attempt, as an `AttemptError`; what is none of the provider's doing is thrown on. */
export function toAttemptError(thrown: unknown): AttemptError {
  if (thrown instanceof AttemptError) return thrown;
  if (thrown instanceof OutboundError) {
    return new AttemptError({ ...byFailure[thrown.failure], status: null, retryAfterMs: null }, thrown);
  }
  throw thrown;
}

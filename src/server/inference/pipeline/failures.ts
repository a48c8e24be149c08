import { type ErrorCode, errorTable } from "#contract/errors.ts";
import { clock } from "#server/platform/clock.ts";
import { OutboundError, type OutboundFailure } from "#server/platform/outbound.ts";

/** Which endpoints may be tried next: any other, only those of another model, or none. */
export type Retry = "endpoint" | "model" | "never";

/** How one attempt failed and whether another endpoint may be tried. */
export interface AttemptFailure {
  /** The name for records and metrics. */
  readonly outcome: string;
  readonly status: number | null;
  readonly retry: Retry;
  /** Who caused it. Only a provider's own faults count against its endpoint. */
  readonly blame: "provider" | "operator" | "request" | "client";
  /** The error for the client if this was the last attempt. */
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfterMs: number | null;
  /** OpenRouter's error type, if the code's own is not exact enough. */
  readonly errorType?: string;
}

/** OpenRouter's error type of a failure. */
export const errorTypeOf = ({ code, errorType }: Pick<AttemptFailure, "code" | "errorType">): string =>
  errorType ?? errorTable[code].kind;

export class AttemptError extends Error {
  override readonly name = "AttemptError";
  readonly failure: AttemptFailure;
  constructor(failure: AttemptFailure, cause?: unknown) {
    super(failure.message, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}

type Row = Pick<AttemptFailure, "outcome" | "retry" | "blame" | "code" | "message" | "errorType">;

const rejected: Row = {
  outcome: "rejected",
  retry: "never",
  blame: "request",
  code: "BAD_REQUEST",
  message: "The provider did not accept the request's parameters",
};
const credential: Row = {
  outcome: "credential",
  retry: "endpoint",
  blame: "operator",
  code: "PROVIDER_ERROR",
  message: "The provider did not accept the credential",
};
const serverError: Row = {
  outcome: "server_error",
  retry: "endpoint",
  blame: "provider",
  code: "PROVIDER_ERROR",
  message: "The provider reported an error",
};

const timeout: Row = {
  outcome: "timeout",
  retry: "endpoint",
  blame: "provider",
  code: "PROVIDER_TIMEOUT",
  message: "The provider took too long",
};
const overloaded: Row = {
  outcome: "overloaded",
  retry: "endpoint",
  blame: "provider",
  code: "SERVICE_UNAVAILABLE",
  message: "The provider is overloaded",
};

/** Upstream statuses with a meaning of their own; other 4xx are the request's fault, 5xx the provider's. */
const byStatus: Record<number, Row> = {
  401: credential,
  402: credential,
  403: credential,
  404: { ...serverError, outcome: "model_missing", message: "The provider does not serve this model" },
  408: timeout,
  413: { ...rejected, code: "PAYLOAD_TOO_LARGE", message: "The provider considers the request too large" },
  429: {
    outcome: "rate_limited",
    retry: "endpoint",
    blame: "provider",
    code: "RATE_LIMIT_EXCEEDED",
    message: "The provider's rate limit is reached",
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
    message: "The provider's address is not public, and ALLOW_PRIVATE_HOSTS does not name it",
  },
  connect: { ...serverError, outcome: "refused", message: "The provider could not be reached" },
  timeout,
  cut: { ...serverError, outcome: "cut", message: "The provider's answer was cut off" },
  too_large: { ...serverError, outcome: "too_large", message: "The provider's answer was too large" },
  aborted: { ...serverError, outcome: "aborted", blame: "client", message: "The request was given up" },
};

const longestWaitMs = 300_000;

/** `Retry-After` in milliseconds: seconds or an HTTP date, at most 300 s; null if absent or invalid. */
export function retryAfterMs(header: string | string[] | undefined): number | null {
  if (typeof header !== "string") return null;
  const text = header.trim();
  const waitMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - clock.nowMs();
  return Number.isFinite(waitMs) && waitMs > 0 ? Math.min(waitMs, longestWaitMs) : null;
}

const tooLong: Row = {
  outcome: "context_length",
  retry: "model",
  blame: "request",
  code: "BAD_REQUEST",
  message: "The request is longer than the model's context window",
  errorType: "context_length_exceeded",
};
const againstPolicy: Row = {
  outcome: "content_policy",
  retry: "model",
  blame: "request",
  code: "BAD_REQUEST",
  message: "The provider's content policy refuses this request",
  errorType: "content_policy_violation",
};

/** Texts by which providers explain a refusal; only their presence is used. */
const reasons: readonly (readonly [RegExp, Row])[] = [
  [
    /context[_ ](length|window)|maximum context|max(imum)? (number of )?(input )?tokens|(prompt|input|request)( is|'s| was)? too (long|large)|too many (input )?tokens|token (count|limit) (exceed|of)|exceeds? the (maximum|model)/i,
    tooLong,
  ],
  [
    /content[_ ](policy|filter|management)|moderation|safety (system|filter|policy|setting)|blocked by|responsible ?ai|guardrail/i,
    againstPolicy,
  ],
];

/** How much of a refusal is searched. */
export const refusalBytesMax = 16 * 1024;

/** Statuses whose body contains the reason, because the status alone does not. */
const mayExplain = new Set([400, 413, 422]);

/**
 * The failure for an upstream's status. Its text is never passed on; for 400, 413 and 422 it decides whether another
 * model could succeed (context window, content policy).
 */
export function failureOfStatus(
  status: number,
  retryAfter: string | string[] | undefined,
  words?: string,
): AttemptError {
  // Other statuses, such as a redirect, are the provider's fault.
  const known = byStatus[status] ?? (status >= 400 && status < 500 ? rejected : serverError);
  const explained =
    words !== undefined && mayExplain.has(status) ? reasons.find(([told]) => told.test(words)) : undefined;
  return new AttemptError({
    ...(explained?.[1] ?? known),
    status,
    retryAfterMs: retryAfterMs(retryAfter),
  });
}

/** Whether the body of an answer with this status is worth reading. */
export const explains = (status: number): boolean => mayExplain.has(status);

/** This provider's API does not support the request; another's may. */
export const unsupported = (what: string): AttemptError =>
  new AttemptError({
    outcome: "unsupported",
    retry: "endpoint",
    blame: "request",
    code: "BAD_REQUEST",
    message: `The provider's API does not support ${what}`,
    status: null,
    retryAfterMs: null,
  });

/** The provider's answer does not follow its protocol. */
export const malformed = (what: string, status: number): AttemptError =>
  new AttemptError({
    outcome: "malformed",
    retry: "endpoint",
    blame: "provider",
    code: "PROVIDER_ERROR",
    message: `The provider's answer could not be read: ${what}`,
    status,
    retryAfterMs: null,
  });

/** The stream is alive, but too slow to be useful. */
export const tooSlow = (): AttemptError =>
  new AttemptError({
    ...timeout,
    outcome: "too_slow",
    message: "The provider's answer was too slow",
    status: 200,
    retryAfterMs: null,
  });

/** Neither disk nor database can record the request, so nothing more is delivered. */
export const unrecorded = (cause?: unknown): AttemptError =>
  new AttemptError(
    {
      outcome: "unrecorded",
      retry: "never",
      blame: "operator",
      code: "SERVICE_UNAVAILABLE",
      message: "The request cannot be recorded at the moment",
      status: null,
      retryAfterMs: null,
    },
    cause,
  );

/** An internal error in the middle of a stream, in words for clients. */
export const internalFailure: AttemptFailure = {
  outcome: "internal",
  retry: "never",
  blame: "operator",
  code: "INTERNAL_ERROR",
  message: "Something went wrong on our side. Quote the request id when you report it.",
  status: null,
  retryAfterMs: null,
};

export const isAttemptFailure = (thrown: unknown): boolean =>
  thrown instanceof AttemptError || thrown instanceof OutboundError;

/** Anything thrown in an attempt, as an `AttemptError`; internal errors are thrown on. */
export function toAttemptError(thrown: unknown): AttemptError {
  if (thrown instanceof AttemptError) return thrown;
  if (thrown instanceof OutboundError) {
    return new AttemptError({ ...byFailure[thrown.failure], status: null, retryAfterMs: null }, thrown);
  }
  throw thrown;
}

import { type ErrorCode, errorTable } from "#contract/errors.ts";
import { clock } from "#server/platform/clock.ts";
import { OutboundError, type OutboundFailure } from "#server/platform/outbound.ts";
import {
  againstPolicy,
  explainedStatuses,
  isFutile,
  meaningOf,
  type Row,
  serverError,
  timeout,
} from "./error-rules.ts";
import { type ProviderError, readProviderError } from "./provider-error.ts";

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
  /** The field of the request that the provider does not support: `top_k`, `messages[0].name`. */
  readonly parameter?: string;
  /** The field of the request whose value the provider did not accept. */
  readonly invalidField?: string;
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

const byFailure: Record<OutboundFailure, Row> = {
  refused: { ...serverError, outcome: "refused", message: "The provider could not be reached" },
  blocked: {
    ...serverError,
    outcome: "blocked",
    blame: "operator",
    message:
      "The provider's address is not public, and ALLOW_PRIVATE_HOSTS (ALLOW_PRIVATE_OWN_PROVIDERS for an own provider) does not name it",
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

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** An error as a provider answered it. */
export interface Refused {
  readonly status: number;
  readonly headers?: Headers;
  /** Its body: a text, or a value that was parsed already. */
  readonly body?: unknown;
  /** The request for which it was, in our names: only these are passed on as the field that an error is about. */
  readonly request?: Readonly<Record<string, unknown>> | undefined;
}

/** How long to wait, by the headers of OpenAI's and others' answers, else by Google's error. */
function waitMs(headers: Headers, error: ProviderError | null): number | null {
  const exact = headers["retry-after-ms"];
  const delayMs = typeof exact === "string" && /^\d{1,12}(\.\d+)?$/.test(exact) ? Number(exact) : null;
  const given = delayMs ?? retryAfterMs(headers["retry-after"]) ?? error?.retryDelayMs ?? null;
  return given !== null && given > 0 ? Math.min(given, longestWaitMs) : null;
}

/**
 * The failure for an error of a provider. Its text is never passed on; where the status alone is not clear, it decides
 * what the error means by the table of `error-rules.ts`.
 */
export function failureOfRefusal({ status, headers = {}, body, request }: Refused): AttemptError {
  const error = body === undefined || !explains(status) ? null : readProviderError(body);
  const { row, parameter, invalidField } = meaningOf(status, error, request);
  return new AttemptError({
    ...row,
    status,
    retryAfterMs: isFutile(row) ? null : waitMs(headers, error),
    ...(parameter !== undefined && { parameter }),
    ...(invalidField !== undefined && { invalidField }),
  });
}

/** The failure for a status, with the words of a body if there is one. */
export const failureOfStatus = (
  status: number,
  retryAfter?: string | string[],
  words?: string,
): AttemptError => failureOfRefusal({ status, headers: { "retry-after": retryAfter }, body: words });

/** Whether the body of an answer with this status is worth reading. */
export const explains = (status: number): boolean => explainedStatuses.has(status);

/** A prompt that the provider answers with nothing but the reason why it is blocked. */
export const blockedPrompt = (): AttemptError =>
  new AttemptError({ ...againstPolicy, status: 200, retryAfterMs: null });

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

/** The model does not support a field of the request, without which the answer would not be what was asked for. */
export function unsupportedField(name: string): AttemptError {
  const { failure } = unsupported(`${name} for this model`);
  return new AttemptError({ ...failure, parameter: name });
}

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

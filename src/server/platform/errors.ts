import type { z } from "zod";
import { type ErrorCode, type ErrorEnvelope, errorTable } from "#contract/errors.ts";
import { describeIssues } from "./describe-issues.ts";
import { maskSecrets, maskSecretsIn } from "./mask-secrets.ts";
import { unavailableIn } from "./unavailable.ts";

interface ErrorDetails {
  readonly param?: string | null;
  readonly metadata?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly cause?: unknown;
}

/**
 * An error whose text clients may read. Any other error becomes INTERNAL_ERROR without its text. The text is answered,
 * logged and stored, and may quote the request, so API keys in it are masked here.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | null;
  readonly metadata: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(maskSecrets(message), details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = errorTable[code].status;
    this.param = details.param == null ? null : maskSecrets(details.param);
    this.metadata = maskSecretsIn(details.metadata ?? {});
    this.headers = details.headers ?? {};
  }
}

/** NOT_FOUND for something of a caller that does not exist or that the caller may not see: the same for both. */
export const notFound = (what: string, param?: string): AppError =>
  new AppError("NOT_FOUND", `No such ${what}`, { ...(param !== undefined && { param }) });

/** What a query found. Throws NOT_FOUND, naming the parameter, if it found nothing. */
export function found<T>(value: T | null | undefined, what: string, param?: string): T {
  if (value === null || value === undefined) throw notFound(what, param);
  return value;
}

/** Converts anything thrown to an `AppError`. Unexpected errors become INTERNAL_ERROR without their text. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const unavailable = unavailableIn(thrown);
  if (unavailable) {
    return new AppError("SERVICE_UNAVAILABLE", unavailable.message, {
      headers: { "retry-after": String(Math.ceil(unavailable.retryAfterMs / 1000)) },
      cause: thrown,
    });
  }
  return new AppError(
    "INTERNAL_ERROR",
    "Something went wrong on our side. Quote the request id when you report it.",
    {
      cause: thrown,
    },
  );
}

/** The JSON body of every error answer. */
export function errorEnvelope(error: AppError, requestId: string): ErrorEnvelope {
  const row = errorTable[error.code];
  return {
    error: {
      code: error.code,
      message: error.message,
      type: row.type,
      param: error.param,
      metadata: { status: row.status, error_type: row.kind, ...error.metadata },
    },
    requestId,
  };
}

/** A 400 that names the first offending field and lists every issue. */
export function validationError(error: z.ZodError): AppError {
  const issues = describeIssues(error.issues);
  const first = issues[0];
  const message = first
    ? first.path
      ? `${first.path}: ${first.message}`
      : first.message
    : "Invalid request";
  return new AppError("BAD_REQUEST", message, { param: first?.path || null, metadata: { issues } });
}

import type { z } from "zod";
import { type ErrorCode, type ErrorEnvelope, errorTable } from "#contract/errors.ts";

interface ErrorDetails {
  readonly param?: string | null;
  readonly metadata?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly cause?: unknown;
}

/** An error whose text a client may read. Anything else thrown becomes INTERNAL_ERROR without its text. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly metadata: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.param = details.param ?? null;
    this.metadata = details.metadata ?? {};
    this.headers = details.headers ?? {};
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

/** Turns anything thrown into an `AppError`; what we did not mean to say is hidden behind INTERNAL_ERROR. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError(
    "INTERNAL_ERROR",
    "Something went wrong on our side. Quote the request id when you report it.",
    {
      cause: thrown,
    },
  );
}

/** The envelope of interface.md 10.1. */
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

/** Where an issue stands and what is wrong there; an unknown key is named itself, not its parent. */
function describeIssue(issue: z.core.$ZodIssue): { path: string; message: string } {
  const unknownKey = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const path = [...issue.path, ...(unknownKey === undefined ? [] : [unknownKey])].map(String).join(".");
  return {
    path,
    message:
      unknownKey === undefined || !issue.message.startsWith("Unrecognized")
        ? issue.message
        : "is not a known field",
  };
}

/** A 400 that names the first offending field and lists every issue. */
export function validationError(error: z.ZodError): AppError {
  const issues = error.issues.map(describeIssue);
  const first = issues[0];
  const message = first
    ? first.path
      ? `${first.path}: ${first.message}`
      : first.message
    : "Invalid request";
  return new AppError("BAD_REQUEST", message, { param: first?.path || null, metadata: { issues } });
}

import { z } from "zod";

/**
 * Every error a client can meet. One row gives status, OpenAI's `type` (so SDKs raise the right class)
 * and the error kind OpenRouter clients know.
 */
export const errorTable = {
  BAD_REQUEST: { status: 400, type: "invalid_request_error", kind: "invalid_request", retryable: false },
  UNAUTHORIZED: { status: 401, type: "authentication_error", kind: "authentication", retryable: false },
  INSUFFICIENT_QUOTA: { status: 402, type: "insufficient_quota", kind: "payment_required", retryable: false },
  FORBIDDEN: { status: 403, type: "permission_error", kind: "permission_denied", retryable: false },
  ORGANISATION_SUSPENDED: {
    status: 403,
    type: "permission_error",
    kind: "organisation_suspended",
    retryable: false,
  },
  NOT_FOUND: { status: 404, type: "not_found_error", kind: "not_found", retryable: false },
  METHOD_NOT_ALLOWED: {
    status: 405,
    type: "invalid_request_error",
    kind: "invalid_request",
    retryable: false,
  },
  REQUEST_TIMEOUT: { status: 408, type: "timeout_error", kind: "timeout", retryable: true },
  CONFLICT: { status: 409, type: "conflict_error", kind: "conflict", retryable: false },
  PRECONDITION_FAILED: {
    status: 412,
    type: "invalid_request_error",
    kind: "precondition_failed",
    retryable: false,
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    type: "invalid_request_error",
    kind: "payload_too_large",
    retryable: false,
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    type: "invalid_request_error",
    kind: "invalid_request",
    retryable: false,
  },
  UNPROCESSABLE: { status: 422, type: "invalid_request_error", kind: "unprocessable", retryable: false },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    type: "rate_limit_error",
    kind: "rate_limit_exceeded",
    retryable: true,
  },
  INTERNAL_ERROR: { status: 500, type: "server_error", kind: "server", retryable: true },
  PROVIDER_ERROR: { status: 502, type: "server_error", kind: "provider_unavailable", retryable: true },
  SERVICE_UNAVAILABLE: { status: 503, type: "server_error", kind: "provider_overloaded", retryable: true },
  PROVIDER_TIMEOUT: { status: 504, type: "timeout_error", kind: "timeout", retryable: true },
} as const;

export type ErrorCode = keyof typeof errorTable;

/** The `error_type` of a 503 where rules, or what is set up, leave no provider to ask: no outage, and no use in a retry. */
export const noEligibleProvider = "no_eligible_provider";

/** The body of every failed HTTP request under `/api/v1`. `requestId` equals the header `x-request-id`. */
export const ErrorEnvelope = z
  .object({
    error: z
      .object({
        code: z
          .enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]])
          .describe("Error code, which determines the HTTP status."),
        message: z.string().describe("Explanation of the error for people."),
        type: z.string().describe("Error type as OpenAI's clients know it, such as `invalid_request_error`."),
        param: z
          .string()
          .nullable()
          .describe("Parameter or field the error is about; null when it is about none."),
        metadata: z
          .record(z.string(), z.unknown())
          .describe(
            "Further details: the HTTP `status`, an `error_type`, and fields that depend on the error.",
          ),
      })
      .describe("What went wrong."),
    requestId: z.string().describe("ID of the request, the same as in the header `x-request-id`."),
  })
  .meta({ id: "Error" });
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>;

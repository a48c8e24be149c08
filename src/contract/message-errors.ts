import { z } from "zod";
import { type ErrorCode, ErrorEnvelope } from "./errors.ts";

/** Anthropic's type of every error a client can meet. */
const types: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST: "invalid_request_error",
  UNAUTHORIZED: "authentication_error",
  INSUFFICIENT_QUOTA: "billing_error",
  FORBIDDEN: "permission_error",
  ORGANISATION_SUSPENDED: "permission_error",
  NOT_FOUND: "not_found_error",
  METHOD_NOT_ALLOWED: "invalid_request_error",
  REQUEST_TIMEOUT: "timeout_error",
  CONFLICT: "invalid_request_error",
  PRECONDITION_FAILED: "invalid_request_error",
  PAYLOAD_TOO_LARGE: "request_too_large",
  UNSUPPORTED_MEDIA_TYPE: "invalid_request_error",
  UNPROCESSABLE: "invalid_request_error",
  RATE_LIMIT_EXCEEDED: "rate_limit_error",
  INTERNAL_ERROR: "api_error",
  PROVIDER_ERROR: "api_error",
  SERVICE_UNAVAILABLE: "overloaded_error",
  PROVIDER_TIMEOUT: "timeout_error",
};

/** The `type` of an error in Anthropic's shape. */
export const messageErrorType = (code: ErrorCode): string => types[code];

/** Claude Code shortens the conversation when it reads these words. */
const tooLong = "prompt is too long";

/** The text of an error in Anthropic's shape. */
export const messageErrorText = (message: string, errorType: unknown): string =>
  errorType === "context_length_exceeded" ? `${tooLong}: ${message}` : message;

/** Details that Anthropic's clients react to. */
export const MessageErrorDetails = z.looseObject({
  error_code: z.string().max(64).describe("Code of the error, such as `thread_unsupported_request`."),
});

/** The body of a failed request to a path of Anthropic's API: its shape, with our details beside. */
export const MessagesError = z
  .object({
    type: z.literal("error").describe("Always `error`."),
    error: ErrorEnvelope.shape.error
      .extend({
        type: z
          .string()
          .describe("Error type as Anthropic's clients know it, such as `invalid_request_error`."),
        details: MessageErrorDetails.optional().describe(
          "Code and details of an error that Anthropic's clients react to. Absent for all others.",
        ),
      })
      .describe("What went wrong."),
    request_id: z.string().describe("ID of the request, the same as in the header `request-id`."),
    requestId: z.string().describe("The same as `request_id`, as other errors spell it."),
  })
  .meta({ id: "MessagesError" });
export type MessagesError = z.infer<typeof MessagesError>;

import type { IncomingMessage } from "node:http";
import { apis, operationRow } from "#contract/inference-operations.ts";
import {
  MessageErrorDetails,
  type MessagesError,
  messageErrorText,
  messageErrorType,
} from "#contract/message-errors.ts";
import { type AppError, errorEnvelope } from "#server/platform/errors.ts";

const anthropicPaths: readonly string[] = apis.flatMap((api) => {
  const { path, aliases = [], errorShape } = operationRow(api);
  return errorShape === "anthropic" ? [path, ...aliases] : [];
});

/** Whether a path below `/api/v1` belongs to Anthropic's API, whose clients read other errors and headers. */
export const isAnthropicPath = (path: string): boolean =>
  anthropicPaths.some((own) => path === own || path.startsWith(`${own}/`));

/** The usual body of an error in the shape of Anthropic's, which has the type outside and a `request_id`. */
export function anthropicError(error: AppError, requestId: string): MessagesError {
  const { error: details } = errorEnvelope(error, requestId);
  const code = MessageErrorDetails.safeParse(details.metadata);
  return {
    type: "error",
    error: {
      ...details,
      type: messageErrorType(error.code),
      message: messageErrorText(details.message, details.metadata.error_type),
      ...(code.success && { details: code.data }),
    },
    request_id: requestId,
    requestId,
  };
}

/** The client library that sends a request is OpenRouter's, in any language. */
export const isOpenRouterSdk = ({ headers }: IncomingMessage): boolean =>
  /^speakeasy-sdk\/\S.*openrouter/i.test(headers["user-agent"] ?? "");

/** The usual body of an error for OpenRouter's client libraries, which read the status in `code`. */
export function openRouterError(error: AppError, requestId: string): object {
  const { error: details, ...envelope } = errorEnvelope(error, requestId);
  const metadata = { ...details.metadata, code: details.code };
  return { ...envelope, error: { ...details, code: error.status, metadata } };
}

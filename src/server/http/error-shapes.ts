import { apis, operationRow } from "#contract/inference-operations.ts";
import {
  MessageErrorDetails,
  type MessagesError,
  messageErrorText,
  messageErrorType,
} from "#contract/message-errors.ts";
import { type AppError, errorEnvelope } from "#server/platform/errors.ts";

const anthropicPaths: readonly string[] = [
  "/anthropic",
  ...apis.flatMap((api) => {
    const { path, aliases = [], errorShape } = operationRow(api);
    return errorShape === "anthropic" ? [path, ...aliases] : [];
  }),
];

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

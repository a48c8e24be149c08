import type { MessagesRequest } from "#contract/messages.ts";
import { AppError } from "#server/platform/errors.ts";

/**
 * Throws BAD_REQUEST if the request begins or continues a message thread, which Anthropic stores: it has only the
 * messages since the last answer. Anthropic's SDK knows the code and sends the whole conversation instead.
 */
export function assertNoThread({ thread }: MessagesRequest): void {
  if (thread == null) return;
  throw new AppError("BAD_REQUEST", "thread: is not supported; send the messages of the whole conversation", {
    param: "thread",
    metadata: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
  });
}

import { messageErrorText, messageErrorType } from "#contract/message-errors.ts";
import { errorTypeOf } from "#server/inference/pipeline/failures.ts";
import type { Generation } from "#server/inference/pipeline/generation.ts";
import type { Presenter } from "#server/inference/pipeline/operation.ts";
import type { MessageEnding, MessagesChunk } from "#server/inference/wires/anthropic-messages/chunk.ts";
import type { Json } from "#server/inference/wires/shared/json.ts";
import { messageHead, messageUsage } from "./message-object.ts";

/** An event whose name is its type, as all of Anthropic's are. */
const frame = (event: Json & { readonly type: string }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/**
 * The events of a message: its head with the estimated input, the blocks as the upstream brings them, then why it
 * ended with the whole usage. After an error nothing follows.
 */
export function messagesPresenter(
  generation: Generation,
  estimatedTokens: () => number,
): Presenter<MessagesChunk> {
  let isBegun = false;
  let ending: MessageEnding = { stopReason: "end_turn", stopSequence: null };
  const head = (reported: Json = {}): string => {
    if (isBegun) return "";
    isBegun = true;
    const usage = {
      input_tokens: estimatedTokens(),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 0,
      ...reported,
    };
    const message = {
      ...messageHead(generation),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    };
    return frame({ type: "message_start", message }) + frame({ type: "ping" });
  };
  return {
    begin: () => "",
    chunk({ events, ending: ended, startUsage }) {
      ending = ended ?? ending;
      return head(startUsage) + events.map(frame).join("");
    },
    completed({ usage, cost }) {
      const { stopReason: stop_reason, stopSequence: stop_sequence, extras, usage: reported } = ending;
      const { context_management: edits, ...more } = extras ?? {};
      const delta = { ...more, stop_reason, stop_sequence };
      const own = edits === undefined ? {} : { context_management: edits };
      return (
        head() +
        frame({
          type: "message_delta",
          delta,
          usage: { ...reported, ...messageUsage(usage, cost) },
          ...own,
        }) +
        frame({ type: "message_stop" })
      );
    },
    failed(failure) {
      const { code, outcome } = failure;
      const errorType = errorTypeOf(failure);
      return frame({
        type: "error",
        error: {
          type: messageErrorType(code),
          message: messageErrorText(failure.message, errorType),
          code,
          metadata: { code, error_type: errorType, provider_code: outcome },
        },
        request_id: generation.requestId(),
      });
    },
  };
}

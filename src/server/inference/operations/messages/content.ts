import type { MessagePart, TraceContent } from "#contract/trace-content.ts";
import type { MessagesChunk } from "#server/inference/wires/anthropic-messages/chunk.ts";
import type { PreparedMessages } from "#server/inference/wires/anthropic-messages/prepared-messages.ts";
import { type Json, textOrNull } from "#server/inference/wires/shared/json.ts";
import { tableOf } from "#server/platform/table.ts";
import { chatContent } from "../shared/chat-content.ts";

/** The form of each type of block in a trace; a provider's own blocks have none. */
const said = tableOf<(block: Json) => MessagePart>({
  text: ({ text }) => ({ type: "text", content: textOrNull(text) ?? "" }),
  thinking: ({ thinking }) => ({ type: "reasoning", content: textOrNull(thinking) ?? "" }),
  tool_use: ({ id, name, input }) => ({
    type: "tool_call",
    id: textOrNull(id),
    name: textOrNull(name) ?? "",
    arguments: JSON.stringify(input ?? {}),
  }),
});

/** Input and output, for traces. */
export function messagesContent(
  { chat, tools }: PreparedMessages,
  produced: readonly MessagesChunk[],
): TraceContent {
  const blocks = produced.at(-1)?.content() ?? [];
  const finish = produced.findLast(({ finishReason }) => finishReason !== null)?.finishReason;
  return {
    input: chatContent({ messages: chat.messages }, []).input,
    output: [
      {
        role: "assistant",
        parts: blocks.flatMap((block) => said[String(block.type)]?.(block) ?? []),
        ...(finish && { finish_reason: finish }),
      },
    ],
    ...(tools?.length && { tools }),
  };
}

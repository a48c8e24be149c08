import type { MessagePart, TraceContent } from "#contract/trace-content.ts";
import { chatRequestOf } from "#server/inference/wires/openai-chat/responses-to-chat.ts";
import type { PreparedResponse } from "#server/inference/wires/openai-responses/prepared-response.ts";
import type { ResponsesChunk } from "#server/inference/wires/openai-responses/wire.ts";
import { isJson, type Json, textOrNull } from "#server/inference/wires/shared/json.ts";
import { tableOf } from "#server/platform/table.ts";
import { chatContent } from "../shared/chat-content.ts";

const textsOf = (list: unknown): string =>
  Array.isArray(list)
    ? list
        .filter(isJson)
        .map((part) => textOrNull(part.text) ?? textOrNull(part.refusal) ?? "")
        .join("")
    : "";

const callOf = (item: Json, text: unknown): MessagePart[] => [
  {
    type: "tool_call",
    id: textOrNull(item.call_id),
    name: textOrNull(item.name) ?? "",
    arguments: textOrNull(text) ?? "",
  },
];

/** The text of each type of output item in a trace; a provider's own items have none. */
const said = tableOf<(item: Json) => MessagePart[]>({
  message: ({ content }) => [{ type: "text", content: textsOf(content) }],
  reasoning: ({ content, summary }) => [{ type: "reasoning", content: textsOf(content) || textsOf(summary) }],
  function_call: (item) => callOf(item, item.arguments),
  custom_tool_call: (item) => callOf(item, item.input),
});

/** Input and output, for traces. */
export function responsesContent(
  request: PreparedResponse,
  produced: readonly ResponsesChunk[],
): TraceContent {
  const { messages } = chatRequestOf(request);
  const items = produced.at(-1)?.output.items() ?? [];
  const finish = produced.findLast(({ finishReason }) => finishReason !== null)?.finishReason;
  return {
    input: chatContent({ messages }, []).input,
    output: [
      {
        role: "assistant",
        parts: items.flatMap((item) => said[String(item.type)]?.(item) ?? []),
        ...(finish && { finish_reason: finish }),
      },
    ],
    ...(request.tools?.length && { tools: request.tools }),
  };
}

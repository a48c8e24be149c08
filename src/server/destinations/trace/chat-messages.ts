import type { MessagePart, TraceMessage } from "#contract/trace-content.ts";

/** The text of one part of a message. */
export const partText = (part: MessagePart): string => {
  if ("content" in part) return part.content;
  if (part.type === "media") return `[${part.media_type}]`;
  return JSON.stringify(part.type === "tool_call" ? part.arguments : part.response) ?? "";
};

/** The text of a complete message, for tools without parts. */
export const plainText = ({ parts }: TraceMessage): string => parts.map(partText).join("\n");

/** `[{role, content}]`: the form most tools show. Tool calls have the form of OpenAI's API. */
export function chatMessages(messages: readonly TraceMessage[]): Record<string, unknown>[] {
  return messages.map((message) => {
    const calls = message.parts.flatMap((part) =>
      part.type === "tool_call"
        ? [
            {
              id: part.id,
              type: "function",
              function: {
                name: part.name,
                arguments:
                  typeof part.arguments === "string" ? part.arguments : JSON.stringify(part.arguments),
              },
            },
          ]
        : [],
    );
    const said = { ...message, parts: message.parts.filter(({ type }) => type !== "tool_call") };
    return { role: message.role, content: plainText(said), ...(calls.length > 0 && { tool_calls: calls }) };
  });
}

import type { MessagePart, TraceContent, TraceMessage } from "#contract/trace-content.ts";
import { limits } from "#server/platform/limits.ts";
import { isLongJson, jsonBytes } from "#server/platform/long-json.ts";

/** Shortens what was said to what a trace may hold, from the front: the beginning of each text stays. */
export function cutContent(
  content: TraceContent,
  bytesMax = limits.destinations.contentBytesMax,
): TraceContent {
  let left = bytesMax;
  const cutText = (text: string): string => {
    // A character has at most three bytes in UTF-8 for each of its UTF-16 units.
    if (text.length * 3 <= left) {
      left -= Buffer.byteLength(text);
      return text;
    }
    const bytes = Buffer.byteLength(text);
    if (bytes <= left) {
      left -= bytes;
      return text;
    }
    const room = Math.max(0, left);
    const stored = Buffer.from(text.slice(0, room))
      .subarray(0, room)
      .toString()
      .replace(/\uFFFD$/, "");
    left = 0;
    return `${stored}… [cut, ${bytes} bytes in all]`;
  };
  const cutValue = (value: unknown): unknown => {
    if (typeof value === "string") return cutText(value);
    // What is far too long is not even written.
    if (!isLongJson(value)) return cutText(JSON.stringify(value ?? null));
    left = 0;
    return "… [cut]";
  };
  const cutPart = (part: MessagePart): MessagePart => {
    if ("content" in part) return { ...part, content: cutText(part.content) };
    if (part.type === "tool_call") return { ...part, arguments: cutValue(part.arguments) };
    return part.type === "tool_call_response" ? { ...part, response: cutValue(part.response) } : part;
  };
  const cutMessage = (message: TraceMessage): TraceMessage => ({
    ...message,
    parts: message.parts.map(cutPart),
  });
  // The answer is what people look for first, so it is the last to be cut.
  const output = content.output.map(cutMessage);
  const input = content.input.map(cutMessage);
  if (content.tools === undefined) return { input, output };
  const size = jsonBytes(content.tools);
  return size <= left ? { input, output, tools: content.tools } : { input, output };
}

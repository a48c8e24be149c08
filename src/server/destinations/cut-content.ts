import type { MessagePart, TraceContent, TraceMessage } from "#contract/trace-content.ts";
import { limits } from "#server/platform/limits.ts";
import { isLongJson, jsonBytes } from "#server/platform/long-json.ts";

/** Shortens content to the limit of a trace: the beginning of each text remains. */
export function cutContent(
  content: TraceContent,
  bytesMax = limits.destinations.contentBytesMax,
): TraceContent {
  let left = bytesMax;
  const cutText = (text: string): string => {
    // UTF-8 needs at most three bytes per UTF-16 unit.
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
    // Far too long values are not serialized.
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
  // The answer is the most important part, so it is shortened last.
  const output = content.output.map(cutMessage);
  const input = content.input.map(cutMessage);
  if (content.tools === undefined) return { input, output };
  const size = jsonBytes(content.tools);
  return size <= left ? { input, output, tools: content.tools } : { input, output };
}

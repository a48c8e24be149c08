import type { ChatRequest } from "#contract/chat.ts";
import type { MediaOfPrompt } from "#server/inference/pipeline/request.ts";
import { jsonBytes } from "#server/platform/long-json.ts";
import { countMedia, noMedia } from "./media-tokens.ts";
import { assertShort, jsonBytesOf } from "./setting-sizes.ts";

/** Fields of a message that are counted separately, or are not part of the prompt's text. */
const countedFields: ReadonlySet<string> = new Set(["role", "content", "tool_call_id"]);

/** The size of the prompt of a chat, in bytes of text and parts that are not text. */
export interface ChatSize {
  readonly bytes: number;
  readonly media: MediaOfPrompt;
}

/** The size of the messages, tools and format of a chat. Throws PAYLOAD_TOO_LARGE for too long settings. */
export function chatSize({ messages, tools, response_format: format }: ChatRequest): ChatSize {
  const settings = { tools: tools?.length ? jsonBytes(tools) : 0, response_format: jsonBytesOf(format) };
  assertShort(settings);
  let bytes = settings.tools + settings.response_format;
  const media = noMedia();
  for (const message of messages) {
    const { content } = message;
    if (typeof content === "string") bytes += Buffer.byteLength(content);
    else
      for (const part of content ?? [])
        if (part.text !== undefined) bytes += Buffer.byteLength(part.text);
        else countMedia(media, part);
    for (const field in message)
      if (!countedFields.has(field) && message[field] != null) bytes += jsonBytes(message[field]);
  }
  return { bytes, media };
}

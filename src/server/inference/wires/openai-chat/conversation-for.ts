import type { ChatContentPart, ChatMessage } from "#contract/chat.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { unsupportedField } from "#server/inference/pipeline/failures.ts";
import { isJson } from "../shared/json.ts";

const isText = ({ type }: ChatContentPart): boolean => type === "text";

const isAddress = ({ type, image_url: image }: ChatContentPart): boolean => {
  if (type !== "image_url") return false;
  const url = isJson(image) ? image.url : image;
  return typeof url === "string" && !url.startsWith("data:");
};

const hasPart = (messages: readonly ChatMessage[], is: (part: ChatContentPart) => boolean): boolean =>
  messages.some(({ content }) => Array.isArray(content) && content.some(is));

const hasMediaResult = ({ role, content }: ChatMessage): boolean =>
  role === "tool" && Array.isArray(content) && !content.every(isText);

/** The line before what is attached to the result of a tool. */
export const attachedTo = (id: unknown): ChatContentPart => ({
  type: "text",
  text: `Attached to the result of the tool call ${String(id)}:`,
});

/** Results of tools as text; what else they hold follows in a message of the user, because only users can send it. */
function withTextResults(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const made: ChatMessage[] = [];
  let attached: ChatContentPart[] = [];
  const attach = () => {
    if (attached.length > 0) made.push({ role: "user", content: attached });
    attached = [];
  };
  for (const message of messages) {
    if (message.role !== "tool") attach();
    if (!hasMediaResult(message) || !Array.isArray(message.content)) {
      made.push(message);
      continue;
    }
    const texts = message.content.filter(isText);
    made.push({ ...message, content: texts.length > 0 ? texts : "" });
    attached.push(attachedTo(message.tool_call_id), ...message.content.filter((part) => !isText(part)));
  }
  attach();
  return made;
}

/**
 * A conversation in the form that an endpoint takes; the same list if nothing is changed. Throws `AttemptError` for what
 * it cannot take.
 */
export function conversationFor(
  messages: readonly ChatMessage[],
  { rules }: Endpoint,
): readonly ChatMessage[] {
  if (rules.withoutPrefill && messages.at(-1)?.role === "assistant") throw unsupportedField("messages");
  if (rules.imagesAsDataOnly && hasPart(messages, isAddress))
    throw unsupportedField("messages.content.image_url");
  return rules.unknownFields === "rejected" && messages.some(hasMediaResult)
    ? withTextResults(messages)
    : messages;
}

import type { ChatMessage } from "#contract/chat.ts";

const isSystem = ({ role }: ChatMessage): boolean => role === "system" || role === "developer";

/** Texts of one role in one message: some templates of open models take only one. */
function joined(messages: readonly ChatMessage[]): ChatMessage[] {
  const result: ChatMessage[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    if (
      last?.role === message.role &&
      typeof last.content === "string" &&
      typeof message.content === "string"
    )
      result[result.length - 1] = { ...last, content: `${last.content}\n\n${message.content}` };
    else result.push(message);
  }
  return result;
}

/**
 * The messages with those of the system before the conversation, in their order, for providers that take them only
 * there. Null if they are there already.
 */
export function systemFirst(messages: readonly ChatMessage[]): readonly ChatMessage[] | null {
  const begun = messages.findIndex((message) => !isSystem(message));
  if (begun === -1 || !messages.some((message, at) => at > begun && isSystem(message))) return null;
  return [...joined(messages.filter(isSystem)), ...messages.filter((message) => !isSystem(message))];
}

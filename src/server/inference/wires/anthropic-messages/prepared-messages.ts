import type { ChatRequest } from "#contract/chat.ts";
import type { MessagesRequest } from "#contract/messages.ts";

/** A request with its translation for endpoints that only chat. */
export interface PreparedMessages extends MessagesRequest {
  readonly chat: ChatRequest;
  /** The first part that chat does not support; null if there is none. */
  readonly nativeOnly: { readonly param: string; readonly repair: string } | null;
  /** The client's headers about the protocol, for endpoints that speak it. */
  readonly protocolHeaders: Readonly<Record<string, string>>;
}

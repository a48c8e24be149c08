import { Message } from "#contract/message-object.ts";
import { MessagesRequest } from "#contract/messages.ts";
import type { OperationDeclaration } from "../shared/declaration.ts";
import { exampleCharge } from "../shared/example-usage.ts";

const { total_tokens: _, ...charge } = exampleCharge;

export const messagesDeclaration: OperationDeclaration<MessagesRequest, Message> = {
  request: MessagesRequest,
  answer: Message,
  body: "conversation",
  operationId: "messages-create",
  summary: "Create a message",
  description:
    "Anthropic's Messages API for every model: the conversation is routed to the best provider that may see it, " +
    "and translated where the provider only chats. With `stream: true` the answer is `text/event-stream`: " +
    "`message_start` with an estimate of the input, `ping`, the events of each block, `message_delta` with the " +
    "`usage`, and `message_stop`, and a `ping` every ten seconds while the provider is silent. Errors have Anthropic's shape. Server tools and other blocks of Anthropic's own " +
    "need an endpoint with its API.",
  example: {
    request: {
      model: "sandbox/chat",
      max_tokens: 256,
      messages: [{ role: "user", content: "Say hello to Europe." }],
    },
    answer: {
      id: "msg_01a20830aa5773ffaf94dc3e3f18e613",
      type: "message",
      role: "assistant",
      model: "sandbox/chat",
      provider: "Sandbox France",
      content: [{ type: "text", text: "Hello, Europe!" }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: {
        ...charge,
        input_tokens: 10,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 17,
        output_tokens_details: { thinking_tokens: 0 },
      },
    },
  },
};

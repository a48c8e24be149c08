import { ChatCompletion, ChatRequest } from "#contract/chat.ts";
import type { OperationDeclaration } from "../shared/declaration.ts";
import { exampleUsage } from "../shared/example-usage.ts";

export const chatDeclaration: OperationDeclaration<ChatRequest, ChatCompletion> = {
  request: ChatRequest,
  answer: ChatCompletion,
  body: "conversation",
  operationId: "inference-chat",
  summary: "Create a chat completion",
  description:
    "Routes the conversation to the best provider that may see it and answers it. With `stream: true` the " +
    "answer is `text/event-stream`: `chat.completion.chunk` objects, the last with `usage`, then `[DONE]`.",
  example: {
    request: { model: "sandbox/chat", messages: [{ role: "user", content: "Say hello to Europe." }] },
    answer: {
      id: "gen-01a20830-aa57-73ff-af94-dc3e3f18e613",
      object: "chat.completion",
      created: 1795433736,
      model: "sandbox/chat",
      provider: "Sandbox France",
      system_fingerprint: "sandbox-fr",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hello, Europe!" },
          finish_reason: "stop",
          native_finish_reason: "stop",
          logprobs: null,
        },
      ],
      usage: exampleUsage,
    },
  },
};

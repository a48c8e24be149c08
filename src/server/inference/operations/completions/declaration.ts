import { Completion, CompletionRequest } from "#contract/completions.ts";
import type { OperationDeclaration } from "../shared/declaration.ts";
import { exampleUsage } from "../shared/example-usage.ts";

export const completionsDeclaration: OperationDeclaration<CompletionRequest, Completion> = {
  request: CompletionRequest,
  answer: Completion,
  body: "prompt",
  operationId: "inference-create",
  summary: "Create a text completion",
  description:
    "Routes the prompt to the best provider that may see it and completes it. With `stream: true` the answer " +
    "is `text/event-stream`: chunks of the same object, the last with `usage`, then `[DONE]`.",
  example: {
    request: { model: "sandbox/chat", prompt: "Say hello to Europe.", max_tokens: 32 },
    answer: {
      id: "cmpl-01a20830-a9ae-7a17-b36e-5e706ae132ef",
      object: "text_completion",
      created: 1795433736,
      model: "sandbox/chat",
      provider: "Sandbox France",
      system_fingerprint: "sandbox-fr",
      choices: [
        {
          index: 0,
          text: " Hello, Europe!",
          finish_reason: "stop",
          native_finish_reason: "stop",
          reasoning: null,
          logprobs: null,
        },
      ],
      usage: exampleUsage,
    },
  },
};

import { CountTokensRequest, TokenCount } from "#contract/messages.ts";
import { contentFields, countTokens } from "#server/inference/index.ts";
import { presetUserOf, withPreset } from "#server/presets/index.ts";
import { permitted, rest, router } from "../trpc.ts";

export const messagesRouter = router({
  countTokens: permitted("inference:use", "workspace")
    .meta({
      ...rest("POST", "/messages/count_tokens", {
        opaque: contentFields,
        summary: "Count the input tokens of a message",
        description:
          "Estimates the tokens of system, messages and tools, for Anthropic's clients. No provider is asked: text " +
          "counts a quarter of its bytes, an image or file 1,600 tokens, so the number differs from the tokens " +
          "that a provider bills. Nothing is charged or recorded.",
        tag: "Inference",
        example: {
          model: "sandbox/chat",
          messages: [{ role: "user", content: "Say hello to Europe." }],
        },
        audit: { none: "changes nothing" },
      }),
      operationId: "messages-count-tokens",
      exampleAnswer: { input_tokens: 5 },
    })
    .input(CountTokensRequest)
    .output(TokenCount)
    .mutation(({ ctx: { services, caller }, input }) =>
      countTokens(
        CountTokensRequest.parse(withPreset(services.presets(), presetUserOf(caller), "messages", input)),
      ),
    ),
});

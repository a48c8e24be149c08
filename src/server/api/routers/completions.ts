import { Completion, CompletionRequest } from "#contract/completions.ts";
import { complete } from "#server/inference/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { permitted, rest, router } from "../trpc.ts";

export const completionsRouter = router({
  create: permitted("inference:use")
    .meta(
      rest("POST", "/completions", {
        summary: "Create a text completion",
        description:
          "Routes the prompt to the best provider that may see it and completes it. With `stream: true` the answer " +
          "is `text/event-stream`: chunks of the same object, the last with `usage`, then `[DONE]`.",
        tag: "Inference",
        errors: [402, 404, 413, 415, 502, 503, 504],
        example: { model: "sandbox/chat", prompt: "Say hello to Europe.", max_tokens: 32 },
        audit: { none: "recorded as a generation and in the ledger" },
      }),
    )
    .input(CompletionRequest)
    .output(Completion)
    .mutation(async ({ ctx, input }) => {
      if (input.stream)
        throw new AppError("BAD_REQUEST", "Streams are served over HTTP only", { param: "stream" });
      const { requestId, signal, services } = ctx;
      const answer = await complete(services.inference, ctx.caller, input, {
        requestId,
        appTitle: null,
        signal,
      });
      if (!answer.body) throw new TypeError("A whole answer was asked for and a stream was given");
      return answer.body;
    }),
});

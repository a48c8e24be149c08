import { ChatCompletion, ChatRequest } from "#contract/chat.ts";
import { Completion, CompletionRequest } from "#contract/completions.ts";
import { EmbeddingList, EmbeddingRequest } from "#contract/embeddings.ts";
import { RerankRequest, RerankResult } from "#contract/rerank.ts";
import {
  chat,
  completions,
  contentFields,
  embeddings,
  type InferenceRequest,
  type Operation,
  type Part,
  rerank,
  serve,
} from "#server/inference/index.ts";
import { permitted, rest, router } from "../trpc.ts";
import { type Asking, wholeOf } from "../whole-answer.ts";

const whole = <Request extends InferenceRequest, P extends Part, Whole>(
  context: Asking,
  operation: Operation<Request, P, Whole>,
  request: Request,
): Promise<Whole> =>
  wholeOf(context, request, (call) =>
    serve(context.services.inference, context.caller, operation, request, call),
  );

export const inferenceRouter = router({
  create: permitted("inference:use", "workspace")
    .meta(
      rest("POST", "/completions", {
        opaque: contentFields,
        summary: "Create a text completion",
        description:
          "Routes the prompt to the best provider that may see it and completes it. With `stream: true` the answer " +
          "is `text/event-stream`: chunks of the same object, the last with `usage`, then `[DONE]`.",
        tag: "Inference",
        errors: [402, 404, 502, 504],
        example: { model: "sandbox/chat", prompt: "Say hello to Europe.", max_tokens: 32 },
        streams: true,
        idempotent: true,
        audit: { none: "recorded as a generation and in the ledger" },
      }),
    )
    .input(CompletionRequest)
    .output(Completion)
    .mutation(({ ctx, input }) => whole(ctx, completions, input)),
  chat: permitted("inference:use", "workspace")
    .meta(
      rest("POST", "/chat/completions", {
        opaque: contentFields,
        summary: "Create a chat completion",
        description:
          "Routes the conversation to the best provider that may see it and answers it. With `stream: true` the " +
          "answer is `text/event-stream`: `chat.completion.chunk` objects, the last with `usage`, then `[DONE]`.",
        tag: "Inference",
        errors: [402, 404, 502, 504],
        example: { model: "sandbox/chat", messages: [{ role: "user", content: "Say hello to Europe." }] },
        streams: true,
        idempotent: true,
        audit: { none: "recorded as a generation and in the ledger" },
      }),
    )
    .input(ChatRequest)
    .output(ChatCompletion)
    .mutation(({ ctx, input }) => whole(ctx, chat, input)),
  embeddings: permitted("inference:use", "workspace")
    .meta(
      rest("POST", "/embeddings", {
        opaque: contentFields,
        summary: "Create embeddings",
        description:
          "A vector for each input: numbers, or with `encoding_format: base64` their bytes as little-endian 32-bit " +
          "floats. Takes one `model`, since vectors of two models cannot be compared, and a body of 4 MiB at most.",
        tag: "Inference",
        errors: [402, 404, 502, 504],
        example: { model: "sandbox/embed", input: ["Vienna lies on the Danube."], dimensions: 64 },
        idempotent: true,
        audit: { none: "recorded as a generation and in the ledger" },
      }),
    )
    .input(EmbeddingRequest)
    .output(EmbeddingList)
    .mutation(async ({ ctx, input }) => (await whole(ctx, embeddings, input)).value()),
  rerank: permitted("inference:use", "workspace")
    .meta(
      rest("POST", "/rerank", {
        opaque: contentFields,
        summary: "Rerank documents",
        description:
          "Orders documents by how well they answer the query. `index` is a document's position in the request; " +
          "`document` is left out with `return_documents: false`. Takes one `model`, and is not streamed.",
        tag: "Inference",
        errors: [402, 404, 502, 504],
        example: {
          model: "sandbox/rerank",
          query: "Which city lies on the Seine?",
          documents: ["Vienna lies on the Danube.", "Paris lies on the Seine."],
          top_n: 1,
        },
        idempotent: true,
        audit: { none: "recorded as a generation and in the ledger" },
      }),
    )
    .input(RerankRequest)
    .output(RerankResult)
    .mutation(({ ctx, input }) => whole(ctx, rerank, input)),
});

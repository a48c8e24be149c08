import type { EmbeddingList, EmbeddingRequest } from "#contract/embeddings.ts";
import { type Cost, estimateTokens, promptTokens, type Usage } from "#server/billing/index.ts";
import { LongJson } from "#server/inference/pipeline/long-json.ts";
import type { Operation } from "#server/inference/pipeline/operation.ts";
import { chargeOf, servedBy } from "#server/inference/pipeline/result.ts";
import { bytesPerTokenMax, templateTokens } from "#server/inference/pipeline/token-bounds.ts";
import {
  type EmbeddingChunk,
  inputsOf,
  nativeEmbeddings,
} from "#server/inference/wires/openai-embeddings/wire.ts";
import { prefixedId } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { numberFromPico } from "#server/platform/money.ts";

/** Usage as OpenAI's embeddings object contains it, and our charge. */
function embeddingUsage(usage: Usage, cost: Cost): EmbeddingList["usage"] {
  const prompt = promptTokens(usage);
  return {
    prompt_tokens: prompt,
    total_tokens: prompt,
    ...chargeOf(cost),
    cost_details: {
      upstream_inference_cost: numberFromPico(cost.upstream.total),
      upstream_inference_prompt_cost: numberFromPico(cost.upstream.prompt),
      upstream_inference_completions_cost: numberFromPico(cost.upstream.completion),
    },
  };
}

const wires = [nativeEmbeddings];

/** The maximum of a trace. */
const tracedTokensMax = limits.destinations.contentBytesMax / 2;
const tokensText = (tokens: readonly number[]): string => `[tokens] ${tokens.slice(0, tracedTokensMax)}`;

/** `POST /embeddings`: a vector for each input. */
export const embeddings: Operation<EmbeddingRequest, EmbeddingChunk, LongJson<EmbeddingList>> = {
  name: "embeddings",
  recorded: new Set(["encoding_format", "dimensions", "input_type"]),
  estimate(request) {
    let longest = 0;
    let all = 0;
    for (const input of inputsOf(request)) {
      const isText = typeof input === "string";
      const tokens = isText ? Buffer.byteLength(input) : input.length;
      longest = Math.max(longest, isText ? Math.floor(tokens / bytesPerTokenMax) : tokens);
      all += tokens + templateTokens;
    }
    return {
      apis: ["embeddings"],
      promptTokensMin: longest,
      promptTokensMax: all,
      maxTokens: null,
      answers: 0,
      searchUnits: 0,
      parameters: request.dimensions == null ? [] : ["dimensions"],
    };
  },
  estimatePrompt(request) {
    let tokens = 0;
    for (const input of inputsOf(request))
      tokens += typeof input === "string" ? estimateTokens(input) : input.length;
    return tokens;
  },
  wires: () => wires,
  content: (request) => ({
    input: inputsOf(request).map((input) => ({
      role: "user",
      parts: [{ type: "embedding_input", content: typeof input === "string" ? input : tokensText(input) }],
    })),
    output: [],
  }),
  complete(answer, generation, _request, { usage, cost }) {
    const { model, provider } = servedBy(generation);
    const list: EmbeddingList = {
      id: prefixedId("emb", generation.id),
      object: "list",
      model,
      provider,
      usage: embeddingUsage(usage, cost),
      data: [],
    };
    const vectors = answer.vectors.map(
      (vector, index) =>
        `${index > 0 ? "," : ""}{"object":"embedding","index":${index},"embedding":${vector}}`,
    );
    // The empty list is last, so that the vectors can be inserted between its brackets.
    return new LongJson([JSON.stringify(list).slice(0, -"]}".length), ...vectors, "]}"]);
  },
};

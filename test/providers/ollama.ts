// Ollama: docs.ollama.com (OpenAI compatibility), and openai/openai.go of its repository, whose structs ignore what
// they do not declare.
import { embeddingsOf } from "./embeddings.ts";
import type { Mock, Refusal, Rule } from "./mock.ts";
import { chatRoute } from "./openai-chat.ts";
import { any, type Check, isJson, type Json, listOf } from "./shape.ts";

const failure = (status: number, message: string, type = "invalid_request_error"): Refusal => ({
  status,
  body: { error: { message, type, param: null, code: null } },
});
/** Fields of the request that its struct declares; everything else has no effect. */
const reads: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "max_tokens",
  "seed",
  "stop",
  "temperature",
  "frequency_penalty",
  "presence_penalty",
  "top_p",
  "response_format",
  "tools",
  "reasoning",
  "reasoning_effort",
  "logprobs",
  "top_logprobs",
]);

/** The object wins over the plain field. */
const effortOf = ({ reasoning, reasoning_effort: plain }: Json): unknown =>
  isJson(reasoning) && reasoning.effort != null ? reasoning.effort : plain;

const pictures: Rule = ({ messages }) => {
  const urls = listOf(messages).flatMap(({ content }) =>
    listOf(content).map(({ image_url: image }) => (isJson(image) ? image.url : image)),
  );
  return urls.some((url) => url !== undefined && !String(url).startsWith("data:image/"))
    ? failure(400, "invalid image input")
    : null;
};
const lenient: Readonly<Record<string, Check>> = new Proxy({}, { get: () => any });

export const ollama: Mock = {
  name: "ollama",
  kind: "openai-compatible",
  basePath: "/v1",
  models: ["qwen3:8b"],
  auth: ["authorization", "Bearer "],
  isStrict: false,
  reads,
  routes: [
    chatRoute({
      path: /^\/v1\/chat\/completions$/,
      thinks: (body) => effortOf(body) != null && effortOf(body) !== "none",
      reasoning: "reasoning",
      rules: [
        (body) => {
          const effort = effortOf(body);
          return effort == null || /^(none|low|medium|high|max)$/.test(String(effort))
            ? null
            : failure(400, `invalid reasoning value: '${effort}'`);
        },
        pictures,
      ],
    }),
    embeddingsOf({
      path: /^\/v1\/embeddings$/,
      fields: lenient,
      refuse: ({ message }) => failure(400, message),
      rules: [
        ({ input }) =>
          [input].flat().every((one) => typeof one === "string") ? null : failure(400, "invalid input type"),
      ],
    }),
  ],
  unauthorized: failure(401, "unauthorized"),
  notFound: failure(404, "404 page not found"),
  failures: {
    "no such model": failure(404, "model 'x' not found", "not_found_error"),
    overloaded: failure(503, "server busy, please try again. maximum pending requests exceeded", "api_error"),
  },
};

// Ollama: docs.ollama.com (OpenAI compatibility), and openai/openai.go of its repository, whose structs ignore what
// they do not declare.

import { completionsRoute } from "./completions.ts";
import { embeddingsOf } from "./embeddings.ts";
import { reading } from "./heard.ts";
import type { Mock, Refusal, Rule } from "./mock.ts";
import { chatRoute } from "./openai-chat.ts";
import { responsesRoute } from "./openai-responses.ts";
import { any, type Check, isJson, type Json, listOf } from "./shape.ts";

const failure = (status: number, message: string, type = "invalid_request_error"): Refusal => ({
  status,
  body: { error: { message, type, param: null, code: null } },
});
/** What the structs of the requests declare; everything else has no effect. */
const sampling = [
  ...["model", "stream", "stream_options", "max_tokens", "seed", "stop", "temperature", "top_p"],
  ...["frequency_penalty", "presence_penalty", "logprobs", "top_logprobs"],
];
const reads = {
  chat: reading(...sampling, "messages", "response_format", "tools", "reasoning", "reasoning_effort"),
  completions: reading(...sampling.filter((name) => name !== "top_logprobs"), "prompt", "suffix"),
  responses: {
    ...reading("model", "stream", "input", "instructions", "max_output_tokens", "temperature", "top_p"),
    ...reading("truncation", "tools"),
    reasoning: reading("effort"),
    text: { format: reading("type", "name", "schema", "strict") },
  },
};

/** The object wins over the plain field. */
const effortOf = ({ reasoning, reasoning_effort: plain }: Json): unknown =>
  isJson(reasoning) && reasoning.effort != null ? reasoning.effort : plain;

/** Parts of other types are no message. */
const parts: Rule = ({ messages }) =>
  listOf(messages).some(({ content }) =>
    listOf(content).some(({ type }) => type !== "text" && type !== "image_url"),
  )
    ? failure(400, "invalid message format")
    : null;
const pictures: Rule = ({ messages }) => {
  const urls = listOf(messages).flatMap(({ content }) =>
    listOf(content).map(({ image_url: image }) => (isJson(image) ? image.url : image)),
  );
  return urls.some((url) => url !== undefined && !String(url).startsWith("data:image/"))
    ? failure(400, "invalid image input")
    : null;
};
const effortRule: Rule = (body) => {
  const effort = effortOf(body);
  return effort == null || /^(none|low|medium|high|max)$/.test(String(effort))
    ? null
    : failure(400, `invalid reasoning value: '${effort}'`);
};

const itemTypes = ["message", "function_call", "function_call_output", "reasoning"];
const partTypes = ["input_text", "input_image", "output_text", "input_file"];
/** Items and parts of other types are no members of its unions, and files are not served. */
const items: Rule = ({ input }) => {
  for (const [at, { type = "message", content, output }] of listOf(input).entries()) {
    if (!itemTypes.includes(String(type)))
      return failure(400, `input[${at}]: unknown input item type: "${type}"`);
    for (const part of [...listOf(content), ...listOf(output)]) {
      if (!partTypes.includes(String(part.type)))
        return failure(400, `input[${at}]: unknown content type: ${part.type}`);
      if (part.type === "input_file") return failure(400, "file inputs are not currently supported");
      if (part.type === "input_image" && part.image_url && !String(part.image_url).startsWith("data:image/"))
        return failure(400, "invalid image input");
    }
  }
  return null;
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
      rules: [effortRule, parts, pictures],
    }),
    // Its struct has one text as the prompt.
    completionsRoute(/^\/v1\/completions$/, [
      ({ prompt }) =>
        typeof prompt === "string"
          ? null
          : failure(
              400,
              "json: cannot unmarshal array into Go struct field CompletionRequest.prompt of type string",
            ),
    ]),
    responsesRoute(/^\/v1\/responses$/, [effortRule, items]),
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

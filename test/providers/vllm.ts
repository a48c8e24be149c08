// vLLM: docs.vllm.ai (OpenAI-compatible server), and vllm/entrypoints/openai/chat_completion/protocol.py. Unknown
// fields are ignored.
import { embeddingsOf, rerankOf } from "./embeddings.ts";
import type { Mock, Refusal, Rule } from "./mock.ts";
import { chatRoute, hasTools, logprobsRule, toolRules } from "./openai-chat.ts";
import { any, type Check, isJson, type Json, listOf } from "./shape.ts";

/** Codes are numbers here. */
const failure = (status: number, message: string, param: string | null = null): Refusal => ({
  status,
  body: { error: { message, type: "BadRequestError", param, code: status } },
});
/** Rules that are OpenAI's, in vLLM's form. */
const asVllm =
  (rule: Rule): Rule =>
  (body, asked) => {
    const refusal = rule(body, asked);
    const error = isJson(refusal?.body) && isJson(refusal.body.error) ? refusal.body.error : {};
    return refusal && failure(400, String(error.message), String(error.param));
  };

const named: Rule = (body) => {
  const { tool_choice: choice } = body;
  const name = isJson(choice) && isJson(choice.function) ? choice.function.name : null;
  const names = listOf(body.tools).map(({ function: one }) => (isJson(one) ? one.name : null));
  return name !== null && hasTools(body) && !names.includes(name)
    ? failure(400, "The tool specified in `tool_choice` does not match any of the specified `tools`")
    : null;
};
const lenient: Readonly<Record<string, Check>> = new Proxy({}, { get: () => any });

export const vllm: Mock = {
  name: "vllm",
  kind: "openai-compatible",
  basePath: "/v1",
  models: ["Qwen/Qwen3-32B"],
  auth: ["authorization", "Bearer "],
  isStrict: false,
  routes: [
    chatRoute({
      path: /^\/v1\/chat\/completions$/,
      thinks: ({ chat_template_kwargs: kwargs, reasoning_effort: effort }: Json) =>
        (isJson(kwargs) && kwargs.enable_thinking === true) || (effort != null && effort !== "none"),
      reasoning: "reasoning",
      rules: [...toolRules.map(asVllm), asVllm(logprobsRule), named],
    }),
    embeddingsOf({
      path: /^\/v1\/embeddings$/,
      fields: lenient,
      refuse: ({ message }) => failure(400, message),
    }),
    rerankOf({ path: /^\/v1\/rerank$/, fields: lenient, refuse: ({ message }) => failure(400, message) }),
  ],
  unauthorized: { status: 401, body: { error: "Unauthorized" } },
  notFound: { status: 404, body: { detail: "Not Found" } },
  failures: {
    "too long": failure(400, "This model's maximum context length is 8192 tokens.", "input_tokens"),
    "no such model": {
      status: 404,
      body: {
        error: { message: "The model does not exist.", type: "NotFoundError", param: "model", code: 404 },
      },
    },
    overloaded: failure(503, "The server is overloaded."),
  },
};

// OpenAI: platform.openai.com/docs/api-reference/responses, and the request types of the package openai.
import { type Route, type Rule, sceneOf, shaped } from "./mock.ts";
import { openAiError, unknownToOpenAi } from "./openai-chat.ts";
import { reasons, responsesModelRules } from "./openai-models.ts";
import { responseOf, responseStream } from "./openai-responses-answer.ts";
import {
  any,
  by,
  type Check,
  flag,
  isJson,
  type Json,
  list,
  listOf,
  nullable,
  number,
  object,
  oneOf,
  record,
  text,
  textOr,
} from "./shape.ts";

const content = textOr(
  list(
    by("type", {
      input_text: object({ type: any, text, prompt_cache_breakpoint: record }, ["text"]),
      input_image: object({ type: any, image_url: text, file_id: text, detail: text }),
      input_file: object({ type: any, file_data: text, file_id: text, file_url: text, filename: text }),
      output_text: object({ type: any, text, annotations: list(record), logprobs: list(record) }, ["text"]),
      refusal: object({ type: any, refusal: text }),
    }),
  ),
);
const message = object(
  {
    type: oneOf("message"),
    role: oneOf("user", "assistant", "system", "developer"),
    content,
    id: text,
    status: text,
    phase: text,
  },
  ["role", "content"],
);
const items = by("type", {
  message,
  function_call: object({ type: any, id: text, call_id: text, name: text, arguments: text, status: text }, [
    "call_id",
    "name",
    "arguments",
  ]),
  function_call_output: object(
    { type: any, id: text, call_id: text, output: textOr(list(record)), status: text },
    ["call_id", "output"],
  ),
  custom_tool_call: object({ type: any, id: text, call_id: text, name: text, input: text, status: text }),
  custom_tool_call_output: object({ type: any, id: text, call_id: text, output: textOr(list(record)) }),
  web_search_call: object({ type: any, id: text, status: text, action: record }, ["id", "status"]),
  mcp_call: object({ type: any, id: text, server_label: text, name: text, arguments: text, output: text }, [
    "id",
    "server_label",
    "name",
    "arguments",
  ]),
  reasoning: object({
    type: any,
    id: text,
    summary: list(record),
    content: list(record),
    encrypted_content: nullable(text),
    status: text,
  }),
});
const item: Check = (value, path) =>
  isJson(value) && value.type === undefined ? message(value, path) : items(value, path);

/** The fields of the operation. */
export const responseShape: Readonly<Record<string, Check>> = {
  background: flag,
  context_management: any,
  conversation: any,
  include: list(text),
  input: textOr(list(item)),
  instructions: nullable(text),
  max_output_tokens: nullable(number(16)),
  max_tool_calls: nullable(number(1)),
  metadata: record,
  model: text,
  moderation: record,
  parallel_tool_calls: flag,
  previous_response_id: text,
  prompt: record,
  prompt_cache_key: text,
  prompt_cache_options: record,
  prompt_cache_retention: oneOf("in_memory", "24h"),
  reasoning: object({ effort: any, summary: text, generate_summary: text, context: text, mode: text }),
  safety_identifier: text,
  service_tier: oneOf("auto", "default", "flex", "scale", "priority", "fast"),
  store: flag,
  stream: nullable(flag),
  stream_options: object({ include_obfuscation: flag }),
  temperature: nullable(number(0, 2)),
  text: object({
    format: by("type", {
      text: object({ type: any }),
      json_object: object({ type: any }),
      json_schema: object(
        { type: any, name: text, description: text, schema: record, strict: nullable(flag) },
        ["name", "schema"],
      ),
    }),
    verbosity: oneOf("low", "medium", "high"),
  }),
  tool_choice: textOr(record),
  tools: list(
    by("type", {
      function: object(
        { type: any, name: text, description: text, parameters: nullable(record), strict: nullable(flag) },
        ["name", "parameters"],
      ),
      custom: record,
      web_search: record,
      file_search: record,
      code_interpreter: record,
      image_generation: record,
      mcp: record,
    }),
  ),
  top_logprobs: nullable(number(0, 20)),
  top_p: nullable(number(0, 1)),
  truncation: oneOf("auto", "disabled"),
  user: text,
};
const fields = object(responseShape, ["model", "input"]);

const notFoundItem = (id: unknown) =>
  openAiError(404, `Item with id '${id}' not found. Items are not persisted when 'store' is set to false.`, {
    param: "input",
  });
/** What is not stored has to come with the request. */
const sealed: Rule = ({ input, store }) => {
  const lost = listOf(input).find(({ type, encrypted_content: seal }) => type === "reasoning" && !seal);
  return lost && store === false ? notFoundItem(lost.id) : null;
};
const answered: Rule = ({ input }) => {
  const outputs = new Set(
    listOf(input).flatMap(({ type, call_id: id }) => (type === "function_call_output" ? [id] : [])),
  );
  const open = listOf(input).find(({ type, call_id: id }) => type === "function_call" && !outputs.has(id));
  return open
    ? openAiError(400, `No tool output found for function call ${open.call_id}.`, { param: "input" })
    : null;
};
/**
 * Calls that this mock made after thinking; the item with the thinking belongs to them. A call without the id of its
 * item is not connected to one.
 */
const thoughtCall = /^call_thought_/;
const accompanied: Rule = ({ input }) => {
  let thought = false;
  for (const { type, call_id: id, id: itemId } of listOf(input)) {
    if (type === "reasoning") thought = true;
    if (type === "function_call_output") thought = false;
    if (type === "function_call" && itemId !== undefined && thoughtCall.test(String(id)) && !thought)
      return openAiError(
        400,
        `Item '${id}' of type 'function_call' was provided without its required 'reasoning' item.`,
        { param: "input" },
      );
  }
  return null;
};

export const responsesRules: readonly Rule[] = [
  shaped(fields, (problem) =>
    problem.kind === "unknown"
      ? openAiError(400, `Unknown parameter: '${problem.path.join(".")}'.`, {
          param: problem.path.join("."),
          code: "unknown_parameter",
        })
      : unknownToOpenAi(problem),
  ),
  ...responsesModelRules,
  sealed,
  answered,
  accompanied,
];

const wantedOf = (body: Json) => {
  const [tool] = body.tool_choice === "none" ? [] : listOf(body.tools);
  const thinks = reasons(body) && isJson(body.reasoning) && body.reasoning.effort !== "none";
  return {
    tool: typeof tool?.name === "string" ? tool.name : null,
    results: listOf(body.input).filter(({ type }) => type === "function_call_output").length,
    thinks,
  };
};

export const responsesRoute = (path: RegExp, rules = responsesRules): Route => ({
  api: "responses",
  path,
  rules,
  streams: ({ body }) => body.stream === true,
  answer({ body }, streamed, toolCalls) {
    const wanted = wantedOf(body);
    const id = `call_${wanted.thinks ? "thought_" : ""}${wanted.results}`;
    const scene = sceneOf(wanted, toolCalls, id);
    const isSealed = Array.isArray(body.include) && body.include.includes("reasoning.encrypted_content");
    return streamed ? responseStream(scene, isSealed) : responseOf(scene, isSealed);
  },
});

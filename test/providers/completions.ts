// The legacy completions operation: platform.openai.com/docs/api-reference/completions, and its types in the package
// openai.
import { joined, json, type Scene, type Sent, sse } from "#test/dialects/dialect.ts";
import { type Route, type Rule, sceneOf } from "./mock.ts";
import { openAiError } from "./openai-chat.ts";
import {
  type Check,
  flag,
  isJson,
  type Json,
  list,
  nullable,
  number,
  object,
  record,
  text,
  textOr,
} from "./shape.ts";

/** A text, texts, tokens or lists of tokens. */
export const prompt: Check = (value, path) =>
  textOr(
    list(
      (one, at) =>
        Array.isArray(one) ? list(number(0))(one, at) : typeof one === "number" ? null : text(one, at),
      { min: 1 },
    ),
  )(value, path);

/** Fields that every strict provider with this operation knows. */
export const completionFields: Readonly<Record<string, Check>> = {
  model: text,
  prompt,
  echo: nullable(flag),
  frequency_penalty: nullable(number(-2, 2)),
  logit_bias: nullable(record),
  logprobs: nullable(number(0, 5)),
  max_tokens: nullable(number(0)),
  n: nullable(number(1, 128)),
  presence_penalty: nullable(number(-2, 2)),
  seed: nullable(number()),
  stop: nullable(textOr(list(text, { max: 4 }))),
  stream: nullable(flag),
  stream_options: nullable(object({ include_usage: flag, include_obfuscation: flag })),
  temperature: nullable(number(0, 2)),
  top_p: nullable(number(0, 1)),
  user: text,
};

/** Rules that OpenAI's reference states for the operation. */
export const completionRules: readonly Rule[] = [
  ({ best_of: best, n }) =>
    typeof best === "number" && typeof n === "number" && best < n
      ? openAiError(400, "'best_of' must be greater than or equal to 'n'.", { param: "best_of" })
      : null,
  ({ best_of: best, stream }) =>
    typeof best === "number" && best > 1 && stream === true
      ? openAiError(400, "Results cannot be streamed with 'best_of'.", { param: "best_of" })
      : null,
  ({ stream_options: options, stream }) =>
    options != null && stream !== true
      ? openAiError(400, "The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
          param: "stream_options",
        })
      : null,
];

const head = { id: "cmpl-1", object: "text_completion", created: 1_790_000_000, model: "model-of-theirs" };
const usageOf = ({ usage }: Scene) => ({
  prompt_tokens: usage.prompt,
  completion_tokens: usage.completion,
  total_tokens: usage.prompt + usage.completion,
});
const isTokens = (one: unknown): boolean => Array.isArray(one) && typeof one[0] === "number";

/** How many texts are owed: `n` for each prompt. */
const choicesOf = ({ prompt: given, n }: Json): number =>
  (typeof n === "number" ? n : 1) * (Array.isArray(given) && !isTokens(given) ? given.length : 1);
const choice = (index: number, said: string, finish: string | null) => ({
  index,
  text: said,
  logprobs: null,
  finish_reason: finish,
});
const each = <T>(body: Json, make: (index: number) => T): T[] =>
  Array.from({ length: choicesOf(body) }, (_, index) => make(index));

const complete = (scene: Scene, body: Json): Sent =>
  json({
    ...head,
    choices: each(body, (index) => choice(index, joined(scene.text), "stop")),
    usage: usageOf(scene),
  });

function stream(scene: Scene, body: Json): Sent {
  const usageAsked = isJson(body.stream_options) && body.stream_options.include_usage === true;
  const chunk = (choices: readonly unknown[], rest: object = {}) =>
    [null, { ...head, choices, ...rest }] as const;
  return sse([
    ...scene.text.flatMap((piece) => each(body, (index) => chunk([choice(index, piece, null)]))),
    ...each(body, (index) => chunk([choice(index, "", "stop")])),
    ...(usageAsked ? [chunk([], { usage: usageOf(scene) })] : []),
    [null, "[DONE]"],
  ]);
}

export const completionsRoute = (path: RegExp, rules: readonly Rule[]): Route => ({
  api: "completions",
  path,
  rules,
  streams: ({ body }) => body.stream === true,
  answer({ body }, streamed) {
    const scene = sceneOf({ tool: null, results: 0, thinks: false }, 0, "");
    return streamed ? stream(scene, body) : complete(scene, body);
  },
});

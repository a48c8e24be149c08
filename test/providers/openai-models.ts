// Which parameters OpenAI's model families take: platform.openai.com/docs (models, reasoning), and the capability
// table of @ai-sdk/openai.

import type { Rule } from "./mock.ts";
import { fieldRule, hasTools, openAiError } from "./openai-chat.ts";
import { isJson, type Json } from "./shape.ts";

const efforts: readonly (readonly [family: RegExp, efforts: readonly string[]])[] = [
  [/^o\d/, ["low", "medium", "high"]],
  [/^gpt-5\.6/, ["none", "low", "medium", "high", "xhigh"]],
  [/^gpt-5\.[2-5]/, ["none", "low", "medium", "high", "xhigh"]],
  [/^gpt-5\.1/, ["none", "low", "medium", "high"]],
  [/^gpt-5/, ["minimal", "low", "medium", "high"]],
  [/^gpt-6/, ["low", "medium", "high", "xhigh"]],
];
const modelOf = ({ model }: Json): string => (typeof model === "string" ? model : "");
const effortsOf = (model: string) => efforts.find(([family]) => family.test(model))?.[1] ?? null;
export const reasons = (body: Json): boolean => effortsOf(modelOf(body)) !== null;

/** Sampling is for models that do not reason, and for those of 5.1 to 5.6 that have reasoning off. */
const isFixed = (body: Json, effort: unknown): boolean =>
  reasons(body) && !(/^gpt-5\.[1-6]/.test(modelOf(body)) && (effort ?? "none") === "none");

/** Refuses a field where the model samples by itself, unless it has the value that is the default anyway. */
const fixed =
  (param: string, effortOf: (body: Json) => unknown, byDefault?: unknown): Rule =>
  (body) => {
    const value = body[param];
    if (value == null || value === byDefault || !isFixed(body, effortOf(body))) return null;
    return byDefault === undefined
      ? openAiError(400, `Unsupported parameter: '${param}' is not supported with this model.`, {
          param,
          code: "unsupported_parameter",
        })
      : openAiError(400, `Unsupported value: '${param}' only supports the default (${byDefault}).`, {
          param,
          code: "unsupported_value",
        });
  };

const unsupported = (param: string) =>
  fieldRule(
    param,
    (value, body) => value != null && reasons(body),
    `Unsupported parameter: '${param}' is not supported with this model.`,
    "unsupported_parameter",
  );

const chatEffort = ({ reasoning_effort: effort }: Json): unknown => effort;
const effortRule =
  (param: string, effortOf: (body: Json) => unknown, extra: readonly string[] = []): Rule =>
  (body) => {
    const effort = effortOf(body);
    if (effort === undefined) return null;
    const known = effortsOf(modelOf(body));
    if (!known) return openAiError(400, `Unrecognized request argument supplied: ${param}`);
    return [...known, ...extra].includes(String(effort))
      ? null
      : openAiError(400, `Unsupported value: '${param}' does not support '${effort}' with this model.`, {
          param,
          code: "unsupported_value",
        });
  };

/** Error bodies in public issues: gpt-5.2, 5.4 and 5.5 refuse tools with thinking on chat, gpt-5.6 also by default. */
const toolsWithEffort: Rule = (body) => {
  const model = modelOf(body);
  const effort = chatEffort(body);
  const thinks = /^gpt-5\.6/.test(model)
    ? effort !== "none"
    : /^gpt-5\.[245]/.test(model) && effort !== undefined && effort !== "none";
  return thinks && hasTools(body)
    ? openAiError(400, "Function tools with reasoning_effort are not supported in /v1/chat/completions.", {
        param: "reasoning_effort",
      })
    : null;
};

export const chatModelRules: readonly Rule[] = [
  unsupported("max_tokens"),
  fixed("temperature", chatEffort, 1),
  fixed("top_p", chatEffort, 1),
  unsupported("frequency_penalty"),
  unsupported("presence_penalty"),
  unsupported("logit_bias"),
  unsupported("stop"),
  fixed("logprobs", chatEffort),
  fixed("top_logprobs", chatEffort),
  effortRule("reasoning_effort", chatEffort),
  toolsWithEffort,
  fieldRule(
    "verbosity",
    (value, body) => !reasons(body) && value !== "medium",
    "Unsupported value: 'verbosity' only supports 'medium' with this model.",
    "unsupported_value",
  ),
];

const responsesEffort = ({ reasoning }: Json): unknown => (isJson(reasoning) ? reasoning.effort : undefined);
export const responsesModelRules: readonly Rule[] = [
  fixed("temperature", responsesEffort, 1),
  fixed("top_p", responsesEffort, 1),
  fixed("top_logprobs", responsesEffort),
  effortRule("reasoning.effort", responsesEffort, ["max"]),
];

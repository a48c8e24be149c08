// What Claude's model families refuse: docs.claude.com (adaptive thinking, migration guides), and the capability
// table of @ai-sdk/anthropic. Bedrock serves the same models with the same rules.
import { signatureOf } from "#test/dialects/dialect.ts";
import type { Refusal, Rule } from "./mock.ts";
import { isJson, type Json, listOf } from "./shape.ts";

const modelOf = ({ model }: Json): string => String(model);
const isNewest = (body: Json): boolean => /-5-5|fable-5/.test(modelOf(body));
/** Opus 4.7 and 4.8, and everything of version 5. */
const samplesItself = (body: Json): boolean => /opus-4-[78]|(sonnet|opus|haiku|fable)-5/.test(modelOf(body));
const thinkingOf = ({ thinking }: Json): Json => (isJson(thinking) ? thinking : {});

const types = (message: Json): readonly Json[] => listOf(message.content);

/** A turn with a call, made while thinking, still has its thinking, unchanged. */
const isReplayed = (turn: Json): boolean => {
  const calls = types(turn).filter(
    ({ type, id }) => type === "tool_use" && /^toolu_thought/.test(String(id)),
  );
  if (calls.length === 0) return true;
  const [first] = types(turn);
  return (
    first?.type === "redacted_thinking" ||
    (first?.type === "thinking" && first.signature === signatureOf(String(first.thinking)))
  );
};

/** A turn of the user that is not only results of tools; thinking before it may be left out. */
const isAsked = ({ role, content }: Json): boolean =>
  role === "user" &&
  (typeof content === "string" || listOf(content).some(({ type }) => type !== "tool_result"));

export const claudeRules = (refused: (message: string) => Refusal): readonly Rule[] => [
  (body) => {
    const set = ["temperature", "top_p", "top_k"].find((name) => body[name] !== undefined);
    return set && samplesItself(body) ? refused(`${set}: not supported with this model.`) : null;
  },
  ({ temperature, top_p: topP, model }) =>
    temperature !== undefined && topP !== undefined && !/claude-3|-4-0|-4-2025/.test(String(model))
      ? refused("`temperature` and `top_p` cannot both be specified for this model.")
      : null,
  (body) => {
    const { type, budget_tokens: budget } = thinkingOf(body);
    return type === "enabled" && Number(budget) >= Number(body.max_tokens)
      ? refused("`max_tokens` must be greater than `thinking.budget_tokens`.")
      : null;
  },
  (body) =>
    thinkingOf(body).type === "enabled" && samplesItself(body)
      ? refused('"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive".')
      : null,
  (body) =>
    thinkingOf(body).type === "adaptive" && !samplesItself(body) && !/-4-6/.test(modelOf(body))
      ? refused("adaptive thinking is not supported on this model")
      : null,
  (body) =>
    thinkingOf(body).type === "disabled" && isNewest(body)
      ? refused('"thinking.type.disabled" is not supported for this model.')
      : null,
  (body) => {
    const thinks = thinkingOf(body).type === "enabled";
    if (thinks && body.top_k !== undefined) return refused("`top_k` must be unset when thinking is enabled.");
    return thinks && (body.temperature ?? 1) !== 1
      ? refused("`temperature` may only be set to 1 when thinking is enabled.")
      : null;
  },
  (body) => {
    const forced = isJson(body.tool_choice) && /^(any|tool)$/.test(String(body.tool_choice.type));
    return forced && (thinkingOf(body).type === "enabled" || isNewest(body))
      ? refused("Thinking may not be enabled when tool_choice forces tool use.")
      : null;
  },
  (body) => {
    // Adaptive thinking does not require it: "Validation changes" of Anthropic's documentation of it.
    const thinks = thinkingOf(body).type === "enabled";
    const turns = listOf(body.messages);
    const loop = turns.findLastIndex(isAsked) + 1;
    const at = turns.findIndex((turn, index) => index >= loop && !isReplayed(turn));
    return thinks && at >= 0
      ? refused(`messages.${at}.content.0: Expected \`thinking\` with its signature, but found \`tool_use\`.`)
      : null;
  },
  (body) => {
    const last = listOf(body.messages).at(-1);
    return last?.role === "assistant" && (samplesItself(body) || /-4-6/.test(modelOf(body)))
      ? refused("This model does not support assistant message prefill.")
      : null;
  },
];

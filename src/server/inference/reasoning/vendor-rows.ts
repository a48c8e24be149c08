import type { ReasoningEffort } from "#contract/reasoning.ts";
import {
  allLevels,
  date,
  effort,
  type Family,
  lowToHigh,
  lowToMax,
  lowToXhigh,
  type ReasoningRow,
  without,
} from "./row.ts";

const openAiSource = "@ai-sdk/openai 4.0.118, table of models; OpenAI reference of chat completions";
/** On chat, `max` is not accepted by any model of OpenAI. */
const withMax = (levels: readonly ReasoningEffort[]): ReasoningRow => ({
  effort: { field: "reasoning_effort", levels, levelsOfResponses: [...levels, "max"] },
  source: openAiSource,
  date,
});
export const openAi: readonly Family[] = [
  { models: /gpt-[\d.]+-chat/, row: without(openAiSource) },
  { models: /gpt-5-pro/, row: effort(["high"], openAiSource) },
  { models: /gpt-5\.\d+-pro/, row: effort(["medium", "high", "xhigh"], openAiSource) },
  { models: /gpt-5(?:\.\d+)?-codex/, row: effort(lowToHigh, openAiSource) },
  {
    models: /gpt-(?:6-(?:luna|sol)|6\.1-terra)/,
    row: withMax(["none", ...lowToXhigh]),
  },
  { models: /gpt-[6-9]/, row: withMax(lowToXhigh) },
  {
    models: /gpt-5\.(?:[6-9]|\d\d)/,
    row: {
      effort: {
        field: "reasoning_effort",
        levels: ["none", ...lowToXhigh],
        levelsOfResponses: ["none", ...lowToMax],
        noneWithTools: "always",
      },
      source: `${openAiSource}; error bodies in public issues of clients`,
      date,
    },
  },
  {
    models: /gpt-5\.[245]/,
    row: {
      effort: { field: "reasoning_effort", levels: ["none", ...lowToXhigh], noneWithTools: "if-set" },
      source: `${openAiSource}; error bodies in public issues of clients`,
      date,
    },
  },
  { models: /gpt-5\.3/, row: effort(["none", ...lowToXhigh], openAiSource) },
  { models: /gpt-5\.1/, row: effort(["none", ...lowToHigh], openAiSource) },
  { models: /gpt-5/, row: effort(["minimal", ...lowToHigh], openAiSource) },
  { models: /gpt-oss/, row: effort(lowToHigh, "model card of gpt-oss") },
  { models: /(?:^|\/)o1-(?:mini|preview)/, row: without(openAiSource) },
  { models: /(?:^|\/)o\d/, row: effort(lowToHigh, openAiSource) },
  { row: without(openAiSource) },
];

/** Kinds over an SDK package get our own object, which `sdk-options.ts` translates. */
export const ours = (levels: readonly ReasoningEffort[], source: string): ReasoningRow => ({
  effort: { field: "reasoning", levels },
  budget: {
    field: "reasoning.max_tokens",
    fields: (tokens) => ({ reasoning: { max_tokens: tokens } }),
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  },
  switch: {
    field: "reasoning",
    on: { reasoning: { enabled: true } },
    off: { reasoning: { enabled: false } },
  },
  hidden: { reasoning: { exclude: true } },
  source,
  date,
});
const oursWithoutBudget = (levels: readonly ReasoningEffort[], source: string): ReasoningRow => {
  const { budget: _, ...row } = ours(levels, source);
  return row;
};

export const claudeSource = "@ai-sdk/anthropic 4.0.105, table of models; Anthropic reference of messages";
export const claude: readonly Family[] = [
  {
    models: /claude-(?:(?:sonnet|opus|haiku)-(?:4[-.][78]|[5-9])|fable)/,
    row: oursWithoutBudget(lowToMax, claudeSource),
  },
  { models: /claude-(?:sonnet|opus|haiku)-4[-.]6/, row: ours([...lowToHigh, "max"], claudeSource) },
  { models: /claude-(?:(?:sonnet|opus|haiku)-4|3[-.]7)/, row: ours(allLevels, claudeSource) },
  { models: /claude-(?:3|2|instant)/, row: without(claudeSource) },
  { models: /claude/, row: oursWithoutBudget(lowToMax, claudeSource) },
];

const geminiSource = "@ai-sdk/google 4.0.121, table of models; Gemini reference of thinking";
export const gemini: readonly Family[] = [
  { models: /gemini-4-hydrogen/, row: oursWithoutBudget(lowToXhigh, geminiSource) },
  { models: /gemini-3-pro-image/, row: ours(allLevels, geminiSource) },
  {
    models: /gemini-(?:[3-9][\d.]*-pro|3\.[7-9]-flash|[4-9])/,
    row: oursWithoutBudget(lowToHigh, geminiSource),
  },
  { models: /gemini-3/, row: oursWithoutBudget(["minimal", ...lowToHigh], geminiSource) },
  { models: /gemini-2\.5/, row: ours(allLevels, geminiSource) },
  { models: /gemini-(?:1|2\.0)|gemma/, row: without(geminiSource) },
  { row: oursWithoutBudget(lowToHigh, geminiSource) },
];

const bedrockSource = "@ai-sdk/amazon-bedrock 5.0.101";
export const bedrock: readonly Family[] = [
  ...claude,
  { models: /nova-2-lite/, row: oursWithoutBudget(lowToHigh, bedrockSource) },
  { models: /(?:^|\.)openai\.gpt-oss/, row: oursWithoutBudget(lowToHigh, bedrockSource) },
  { models: /(?:^|\.)openai\./, row: oursWithoutBudget(lowToHigh, bedrockSource) },
  { row: without(bedrockSource) },
];

const mistralSource = "@ai-sdk/mistral 4.0.87, table of models";
export const mistral: readonly Family[] = [
  { models: /mistral-large-4/, row: effort(lowToHigh, mistralSource) },
  { models: /glm-5-2/, row: effort(["none", "high"], mistralSource) },
  { models: /zai-glm/, row: effort(["low", "high", "max"], mistralSource) },
  {
    models:
      /magistral-(?:medium|small)-latest|mistral-medium(?:$|-(?:2604|3|latest))|mistral-small-(?:2603|latest)|mistral-vibe|leanstral-1-5/,
    row: effort(["none", "high"], mistralSource),
  },
  { row: without(mistralSource) },
];

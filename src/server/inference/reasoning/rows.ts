import { tableOf } from "#server/platform/table.ts";
import type { Json } from "../wires/shared/json.ts";
import { allLevels, date, effort, type Family, lowToHigh, type ReasoningRow, without } from "./row.ts";
import { bedrock, claude, claudeSource, gemini, mistral, openAi, ours } from "./vendor-rows.ts";

/** What servers based on vLLM understand; a template that has no such switch ignores it. */
const template = {
  field: "chat_template_kwargs",
  on: { chat_template_kwargs: { enable_thinking: true, thinking: true } },
  off: { chat_template_kwargs: { enable_thinking: false, thinking: false } },
} as const;
const gptOss = (source: string): Family => ({ models: /gpt-oss/, row: effort(lowToHigh, source) });
const templated = (source: string): readonly Family[] => [
  gptOss(source),
  { row: { switch: template, source, date } },
];

const groqSource = "groq-typescript, chat completions";
const cerebrasSource = "cerebras-cloud-sdk-node, chat completions";
const togetherSource = "together-typescript, chat completions";
const fireworksSource = "Fireworks documentation, reasoning";
const deepinfraSource = "DeepInfra documentation, reasoning models";
const vllmSource = "vLLM 0.26, entrypoints/openai/chat_completion/protocol.py";
const ollamaSource = "ollama, openai/openai.go";
const llamaSource = "llama.cpp, tools/server/README.md";
const deepseekSource = "DeepSeek documentation, thinking mode";
const xaiSource = "xAI documentation, reasoning";
const perplexitySource = "Perplexity documentation, chat completions";
const cohereSource = "Cohere documentation, compatibility API";
const openRouterSource = "OpenRouter documentation, reasoning tokens";

const hiddenByName: Json = { include_reasoning: false };

/** By the dialect of a provider, then by family: the first match counts. */
const dialects = tableOf<readonly Family[]>({
  openai: openAi,
  azure: openAi,
  // Other models behind this API take a budget, which all of its versions know.
  anthropic: [...claude, { row: ours(allLevels, claudeSource) }],
  google: gemini,
  bedrock,
  mistral,
  groq: [
    { models: /gpt-oss/, row: { ...effort(lowToHigh, groqSource), hidden: hiddenByName } },
    {
      // `default` is the only other level of these models, so reasoning is on without any field.
      models: /qwen-?3/,
      row: {
        switch: { field: "reasoning_effort", on: {}, off: { reasoning_effort: "none" } },
        source: groqSource,
        date,
      },
    },
    { row: without(groqSource) },
  ],
  together: [
    gptOss(togetherSource),
    {
      row: {
        switch: {
          field: "reasoning",
          on: { reasoning: { enabled: true } },
          off: { reasoning: { enabled: false } },
        },
        source: togetherSource,
        date,
      },
    },
  ],
  fireworks: [
    gptOss(fireworksSource),
    {
      row: {
        effort: { field: "reasoning_effort", levels: ["none", ...lowToHigh] },
        budget: {
          field: "thinking.budget_tokens",
          fields: (tokens) => ({ thinking: { type: "enabled", budget_tokens: tokens } }),
          min: 1_024,
          max: Number.MAX_SAFE_INTEGER,
        },
        source: fireworksSource,
        date,
      },
    },
  ],
  deepinfra: [
    gptOss(deepinfraSource),
    {
      row: {
        effort: { field: "reasoning_effort", levels: ["none", ...lowToHigh] },
        source: deepinfraSource,
        date,
      },
    },
  ],
  "open-model-host": templated("vLLM 0.26; the host publishes no list of fields"),
  nebius: templated("Nebius Token Factory documentation"),
  scaleway: templated("Scaleway documentation, supported features"),
  ovhcloud: templated("OVHcloud AI Endpoints documentation"),
  stackit: templated("STACKIT Model Serving documentation"),
  ionos: [gptOss("IONOS documentation"), { row: without("IONOS OpenAPI document") }],
  cerebras: [
    gptOss(cerebrasSource),
    {
      models: /glm/,
      row: {
        switch: {
          field: "disable_reasoning",
          on: { disable_reasoning: false },
          off: { disable_reasoning: true },
        },
        source: cerebrasSource,
        date,
      },
    },
    { row: without(cerebrasSource) },
  ],
  sambanova: templated("SambaNova documentation, reasoning models"),
  deepseek: [
    {
      row: {
        effort: { field: "reasoning_effort", levels: ["low", "high", "max"] },
        switch: {
          field: "thinking",
          on: { thinking: { type: "enabled" } },
          off: { thinking: { type: "disabled" } },
        },
        requiredWithCalls: "reasoning_content",
        source: deepseekSource,
        date,
      },
    },
  ],
  xai: [
    { models: /grok-3-mini/, row: effort(["low", "high"], xaiSource) },
    { models: /grok-(?:4\.[3-9]|[5-9])/, row: effort(lowToHigh, xaiSource) },
    { row: without(xaiSource) },
  ],
  perplexity: [
    { models: /sonar-(?:deep-research|reasoning)/, row: effort(["minimal", ...lowToHigh], perplexitySource) },
    { row: without(perplexitySource) },
  ],
  cohere: [
    { models: /reasoning/, row: effort(["none", "high"], cohereSource) },
    { row: without(cohereSource) },
  ],
  vllm: [
    {
      row: {
        effort: { field: "reasoning_effort", levels: ["none", ...lowToHigh] },
        budget: {
          field: "thinking_token_budget",
          fields: (tokens) => ({ thinking_token_budget: tokens }),
          min: 0,
          max: Number.MAX_SAFE_INTEGER,
        },
        switch: template,
        hidden: hiddenByName,
        source: vllmSource,
        date,
      },
    },
  ],
  ollama: [
    {
      row: {
        effort: { field: "reasoning_effort", levels: ["none", ...lowToHigh, "max"] },
        source: ollamaSource,
        date,
      },
    },
  ],
  "llama-cpp": [
    {
      row: {
        effort: { field: "reasoning_effort", levels: ["none", ...lowToHigh] },
        budget: {
          field: "thinking_budget_tokens",
          fields: (tokens) => ({ thinking_budget_tokens: tokens }),
          min: 0,
          max: Number.MAX_SAFE_INTEGER,
        },
        switch: template,
        source: llamaSource,
        date,
      },
    },
  ],
  openrouter: [
    {
      row: {
        effort: { field: "reasoning", levels: ["none", ...allLevels] },
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
        source: openRouterSource,
        date,
      },
    },
  ],
});

const unknown: ReasoningRow = { asGiven: true, source: "nothing is known of the provider", date };

/** The dialects that have rows. All others get the fields as the client wrote them. */
export const reasoningDialects: readonly string[] = Object.keys(dialects);

/**
 * How a model of a provider takes settings for reasoning. `modelId`, the id in the catalogue, decides if the upstream's
 * own name is that of a deployment and matches no family.
 */
export function reasoningRowOf(dialect: string, upstreamModel: string, modelId?: string): ReasoningRow {
  const families = dialects[dialect];
  if (!families) return unknown;
  for (const id of [upstreamModel, modelId])
    if (id !== undefined) {
      const name = id.toLowerCase();
      const match = families.find(({ models }) => models?.test(name));
      if (match) return match.row;
    }
  return families.find(({ models }) => models === undefined)?.row ?? unknown;
}

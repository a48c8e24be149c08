import type { ReasoningEffort } from "#contract/reasoning.ts";
import { tableOf } from "#server/platform/table.ts";
import type { Json } from "../wires/shared/json.ts";

/** How the models of a family take settings for reasoning over chat. */
export interface ReasoningRow {
  /** The field for the effort, and the levels it accepts. `none` among them switches reasoning off. */
  readonly effort?: {
    readonly field: "reasoning_effort" | "reasoning";
    readonly levels: readonly ReasoningEffort[];
    /** With function tools only `none` is accepted; `always`: it must be sent then. */
    readonly noneWithTools?: "if-set" | "always";
  };
  /** How a maximum number of tokens is sent, and its range. */
  readonly budget?: {
    readonly field: string;
    readonly fields: (tokens: number) => Json;
    readonly min: number;
    readonly max: number;
  };
  /** Fields that switch reasoning on and off; an effort is sent beside those that switch it on. */
  readonly switch?: { readonly field: string; readonly on: Json; readonly off: Json | null };
  /** Fields by which reasoning is left out of the answer. */
  readonly hidden?: Json;
  /** Settings are sent as the client wrote them, because nothing is known of the provider. */
  readonly asGiven?: true;
  /** Where this is from, and when it was read. */
  readonly source: string;
  readonly date: string;
}

interface Family {
  /** Matches the id of the upstream's model in lower case; absent: all others. */
  readonly models?: RegExp;
  readonly row: ReasoningRow;
}

const date = "2026-11-23";
const lowToHigh = ["low", "medium", "high"] as const;
const lowToXhigh = [...lowToHigh, "xhigh"] as const;
const lowToMax = [...lowToXhigh, "max"] as const;

const effort = (levels: readonly ReasoningEffort[], source: string): ReasoningRow => ({
  effort: { field: "reasoning_effort", levels },
  source,
  date,
});
const without = (source: string): ReasoningRow => ({ source, date });

const openAiSource = "@ai-sdk/openai 4.0.118, table of models; OpenAI reference of chat completions";
/** On chat, `max` is not accepted by any model of OpenAI. */
const openAi: readonly Family[] = [
  { models: /gpt-[\d.]+-chat/, row: without(openAiSource) },
  { models: /gpt-5-pro/, row: effort(["high"], openAiSource) },
  { models: /gpt-5\.\d+-pro/, row: effort(["medium", "high", "xhigh"], openAiSource) },
  { models: /gpt-5(?:\.\d+)?-codex/, row: effort(lowToHigh, openAiSource) },
  {
    models: /gpt-(?:6-(?:luna|sol)|6\.1-terra)/,
    row: effort(["none", ...lowToXhigh], openAiSource),
  },
  { models: /gpt-[6-9]/, row: effort(lowToXhigh, openAiSource) },
  {
    models: /gpt-5\.(?:[6-9]|\d\d)/,
    row: {
      effort: { field: "reasoning_effort", levels: ["none", ...lowToXhigh], noneWithTools: "always" },
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
const ours = (levels: readonly ReasoningEffort[], source: string): ReasoningRow => ({
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

const claudeSource = "@ai-sdk/anthropic 4.0.105, table of models; Anthropic reference of messages";
const claude: readonly Family[] = [
  {
    models: /claude-(?:(?:sonnet|opus|haiku)-(?:4-[78]|[5-9])|fable)/,
    row: oursWithoutBudget(lowToMax, claudeSource),
  },
  { models: /claude-(?:sonnet|opus|haiku)-4-6/, row: ours([...lowToHigh, "max"], claudeSource) },
  {
    models: /claude-(?:(?:sonnet|opus|haiku)-4|3-7)/,
    row: ours(["minimal", ...lowToMax], claudeSource),
  },
  { models: /claude-(?:3|2|instant)/, row: without(claudeSource) },
  { models: /claude/, row: oursWithoutBudget(lowToMax, claudeSource) },
];

const geminiSource = "@ai-sdk/google 4.0.121, table of models; Gemini reference of thinking";
const gemini: readonly Family[] = [
  { models: /gemini-4-hydrogen/, row: oursWithoutBudget(lowToXhigh, geminiSource) },
  { models: /gemini-3-pro-image/, row: ours(["minimal", ...lowToMax], geminiSource) },
  {
    models: /gemini-(?:[3-9][\d.]*-pro|3\.[7-9]-flash|[4-9])/,
    row: oursWithoutBudget(lowToHigh, geminiSource),
  },
  { models: /gemini-3/, row: oursWithoutBudget(["minimal", ...lowToHigh], geminiSource) },
  { models: /gemini-2\.5/, row: ours(["minimal", ...lowToMax], geminiSource) },
  { models: /gemini-flash-latest|gemini-pro-latest/, row: oursWithoutBudget(lowToHigh, geminiSource) },
  { row: without(geminiSource) },
];

const bedrockSource = "@ai-sdk/amazon-bedrock 5.0.101";
const bedrock: readonly Family[] = [
  ...claude,
  { models: /nova-2-lite/, row: oursWithoutBudget(lowToHigh, bedrockSource) },
  { models: /(?:^|\.)openai\.gpt-oss/, row: oursWithoutBudget(lowToHigh, bedrockSource) },
  { models: /(?:^|\.)openai\./, row: oursWithoutBudget(lowToHigh, bedrockSource) },
  { row: without(bedrockSource) },
];

const mistralSource = "@ai-sdk/mistral 4.0.87, table of models";
const mistral: readonly Family[] = [
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
  anthropic: [...claude, { row: without(claudeSource) }],
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
        effort: { field: "reasoning", levels: ["none", "minimal", ...lowToMax] },
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

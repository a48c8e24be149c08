import type { Api } from "./inference-operations.ts";
import type { PresetConfig, PresetParameter } from "./preset.ts";

/** A value and its place in a request: a field, or a field of an object in it. */
export interface Put {
  readonly path: readonly [string] | readonly [string, string];
  readonly value: unknown;
}

/** How an operation takes a value; null if it cannot express this one. */
type Take<Value> = (value: Value) => Put | null;

interface PresetFieldRow<Value> {
  /** Fields of requests with the same meaning: if the client sends one of them, the preset's value is not used. */
  readonly yields: readonly string[];
  /** The operations that take the field. */
  readonly takes: Partial<Record<Api, Take<Value>>>;
}

type Of<Name extends PresetParameter> = NonNullable<PresetConfig[Name]>;

const at =
  <Value>(...path: [string] | [string, string]): Take<Value> =>
  (value) => ({ path, value });

/** A field that has the same name wherever it exists. */
const same = <Value>(name: string, ...apis: Api[]): PresetFieldRow<Value> => ({
  yields: [name],
  takes: Object.fromEntries(apis.map((api) => [api, at<Value>(name)])),
});

const stopList = (stop: Of<"stop">): readonly string[] => (typeof stop === "string" ? [stop] : stop);

/** Anthropic's clients switch thinking on and off, limit it, or set an effort. */
function thinkingOf({ effort, max_tokens: budget, enabled, exclude, summary }: Of<"reasoning">): Put | null {
  if (exclude || summary != null) return null;
  if (enabled === false || effort === "none" || budget === 0)
    return { path: ["thinking"], value: { type: "disabled" } };
  if (budget != null) return { path: ["thinking"], value: { type: "enabled", budget_tokens: budget } };
  if (effort == null) return { path: ["thinking"], value: { type: "adaptive" } };
  return { path: ["output_config", "effort"], value: effort === "minimal" ? "low" : effort };
}

function responseReasoning({ exclude, ...settings }: Of<"reasoning">): Put | null {
  return exclude ? null : { path: ["reasoning"], value: settings };
}

function textFormat(format: Of<"response_format">): Put {
  const { type } = format;
  const value = type === "json_schema" ? { type, ...format.json_schema } : { type };
  return { path: ["text", "format"], value };
}

const outputFormat = (format: Of<"response_format">): Put | null =>
  format.type === "json_schema"
    ? { path: ["output_config", "format"], value: { type: format.type, schema: format.json_schema.schema } }
    : null;

const flatTools = (tools: Of<"tools">): Put => ({
  path: ["tools"],
  value: tools.map((tool) => ({ type: "function", ...tool.function })),
});

const anthropicTools = (tools: Of<"tools">): Put => ({
  path: ["tools"],
  value: tools.map(({ function: { name, description, parameters, strict } }) => ({
    name,
    ...(description != null && { description }),
    input_schema: parameters ?? { type: "object" },
    ...(strict != null && { strict }),
  })),
});

const anthropicChoice = { none: "none", auto: "auto", required: "any" } as const;

const text: Api[] = ["chat", "completions", "responses", "messages"];

/** Every parameter of presets: where it goes in each operation, in that operation's words. */
export const presetFields: { readonly [Name in PresetParameter]: PresetFieldRow<Of<Name>> } = {
  max_tokens: {
    yields: ["max_tokens", "max_completion_tokens", "max_output_tokens"],
    takes: {
      chat: at("max_completion_tokens"),
      completions: at("max_tokens"),
      responses: at("max_output_tokens"),
      messages: at("max_tokens"),
    },
  },
  temperature: same("temperature", ...text),
  top_p: same("top_p", ...text),
  top_k: same("top_k", ...text),
  min_p: same("min_p", "chat", "completions"),
  top_a: same("top_a", "chat", "completions"),
  frequency_penalty: same("frequency_penalty", "chat", "completions", "responses"),
  presence_penalty: same("presence_penalty", "chat", "completions", "responses"),
  repetition_penalty: same("repetition_penalty", "chat", "completions"),
  seed: same("seed", "chat", "completions"),
  stop: {
    yields: ["stop", "stop_sequences"],
    takes: {
      chat: at("stop"),
      completions: at("stop"),
      messages: (stop) => ({ path: ["stop_sequences"], value: stopList(stop) }),
    },
  },
  logit_bias: same("logit_bias", "chat", "completions"),
  reasoning: {
    yields: ["reasoning", "reasoning_effort", "thinking", "output_config.effort"],
    takes: {
      chat: at("reasoning"),
      completions: at("reasoning"),
      responses: responseReasoning,
      messages: thinkingOf,
    },
  },
  verbosity: {
    yields: ["verbosity", "text.verbosity"],
    takes: { chat: at("verbosity"), responses: at("text", "verbosity") },
  },
  response_format: {
    yields: ["response_format", "text.format", "output_config.format"],
    takes: { chat: at("response_format"), responses: textFormat, messages: outputFormat },
  },
  tools: {
    yields: ["tools", "functions"],
    takes: { chat: at("tools"), responses: flatTools, messages: anthropicTools },
  },
  tool_choice: {
    // A choice among tools that the client replaces would mean other tools.
    yields: ["tool_choice", "function_call", "tools", "functions"],
    takes: {
      chat: at("tool_choice"),
      responses: at("tool_choice"),
      messages: (choice) => ({ path: ["tool_choice"], value: { type: anthropicChoice[choice] } }),
    },
  },
  parallel_tool_calls: {
    yields: ["parallel_tool_calls", "tools", "functions"],
    takes: { chat: at("parallel_tool_calls"), responses: at("parallel_tool_calls") },
  },
  service_tier: same("service_tier", "chat", "responses", "messages"),
  dimensions: same("dimensions", "embeddings"),
  input_type: same("input_type", "embeddings"),
  top_n: { yields: ["top_n", "top_k"], takes: { rerank: at("top_n") } },
  return_documents: same("return_documents", "rerank"),
};

/** Operations with messages, which a system prompt can precede. */
const withPrompt: ReadonlySet<Api> = new Set<Api>(["chat", "responses", "messages"]);
/** Operations whose answers of different models cannot be compared. */
const ofOneModel: ReadonlySet<Api> = new Set<Api>(["embeddings", "rerank"]);

/** What a version sets for one operation: the values, and the names of what the operation cannot take. */
export interface PresetFit {
  readonly puts: readonly (Put & { readonly yields: readonly string[] })[];
  readonly unfit: readonly string[];
}

function fitOf<Name extends PresetParameter>(name: Name, config: PresetConfig, api: Api) {
  const value = config[name];
  if (value == null) return null;
  const { yields, takes } = presetFields[name];
  // The value is the one of this row's field, which the compiler loses over a generic key.
  const put = takes[api]?.(value as Of<Name>) ?? null;
  return put && { ...put, yields };
}

/** How an operation takes what a version sets. */
export function presetFit(config: PresetConfig, systemPrompt: string | null, api: Api): PresetFit {
  const puts: (Put & { yields: readonly string[] })[] = [];
  const unfit: string[] = [];
  if (systemPrompt !== null && !withPrompt.has(api)) unfit.push("a system prompt");
  if ((config.models?.length ?? 0) > 1 && ofOneModel.has(api)) unfit.push("several models");
  for (const name of Object.keys(presetFields) as PresetParameter[]) {
    if (config[name] == null) continue;
    const put = fitOf(name, config, api);
    if (put) puts.push(put);
    else unfit.push(`\`${name}\``);
  }
  return { puts, unfit };
}

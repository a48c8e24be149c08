import type { SharedV4Warning } from "@ai-sdk/provider";
import { tableOf } from "#server/platform/table.ts";
import type { Json } from "../wires/shared/json.ts";

/** Our fields by the names of the packages' features, where more than the spelling differs. */
const fields = tableOf<string>({
  stopSequences: "stop",
  maxOutputTokens: "max_tokens",
  reasoningEffort: "reasoning_effort",
  reasoningSummary: "reasoning.summary",
  budgetTokens: "reasoning.max_tokens",
  "adaptive thinking": "reasoning",
  "extended thinking": "reasoning",
  thinking: "reasoning",
  effort: "reasoning",
  toolContent: "messages.tool_calls",
  disableParallelToolUse: "parallel_tool_calls",
  structuredOutputMode: "response_format",
  strict: "tools.strict",
  textVerbosity: "verbosity",
  "cacheControl breakpoint limit": "cache_control",
  "cache_control on non-cacheable context": "cache_control",
});

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The field of a feature such as `topK` or `providerOptions.mistral.parallelToolCalls`; null for words of a sentence. */
function fieldOf(feature: string): string | null {
  const name = feature.replace(/^providerOptions\.\w+\./, "");
  const known = fields[name];
  if (known !== undefined) return known;
  if (/^(?:function |provider-defined )?tool\b/.test(name)) return "tools";
  return /^[a-z]\w*$/i.test(name) ? snakeCase(name) : null;
}

/** Other names of a field: a request that has one of them set has asked for it. */
const aliases = tableOf<readonly string[]>({
  max_tokens: ["max_completion_tokens"],
  reasoning: ["reasoning_effort", "thinking"],
  reasoning_effort: ["reasoning"],
  top_logprobs: ["logprobs"],
});

const isAsked = (field: string, body: Json): boolean => {
  const name = field.split(".")[0] ?? field;
  if (name === "messages" || name === "cache_control") return true;
  return [name, ...(aliases[name] ?? [])].some((each) => body[each] != null);
};

/** Adds the fields of a request that a package warns of: it left them out, or sent less than was asked for. */
export function addWarnings(warnings: readonly SharedV4Warning[], body: Json, dropped: Set<string>): void {
  for (const warning of warnings) {
    if (warning.type !== "unsupported" && warning.type !== "compatibility") continue;
    const field = fieldOf(warning.feature);
    if (field !== null && isAsked(field, body)) dropped.add(field);
  }
}

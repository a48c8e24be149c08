// What is inside the fields of a request for a text completion.
import { type Nested, nested } from "./nested.ts";

export const completionsNested: readonly Nested[] = [
  nested("prompt (several)", ["Good morning", "Good evening"], (prompt) => ({ prompt: prompt ?? "Hello" })),
  nested("prompt (tokens)", [9_906, 856], (prompt) => ({ prompt: prompt ?? "Hello" })),
  nested("prompt (lists of tokens)", [[9_906], [856]], (prompt) => ({ prompt: prompt ?? "Hello" })),
  nested("reasoning.max_tokens", 2_048, (max_tokens) => (max_tokens ? { reasoning: { max_tokens } } : {})),
  nested("reasoning.enabled", true, (enabled) => (enabled ? { reasoning: { enabled } } : {})),
  nested(
    "reasoning.exclude",
    true,
    (exclude) => ({ reasoning: { effort: "high", ...(exclude ? { exclude } : {}) } }),
    { ours: true },
  ),
  nested(
    "stream_options.include_usage",
    false,
    (value) => ({ stream: true, stream_options: value === undefined ? {} : { include_usage: value } }),
    { ours: true },
  ),
  nested("stream_options.include_obfuscation", true, (value) => ({
    stream: true,
    stream_options: value ? { include_obfuscation: value } : {},
  })),
];

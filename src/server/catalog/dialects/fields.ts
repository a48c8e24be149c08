import type { Parameter } from "#contract/parameter-classes.ts";
import type { FieldRule, FieldRules } from "./dialect.ts";

const every = (names: readonly Parameter[], rule: FieldRule): FieldRules =>
  Object.fromEntries(names.map((name) => [name, rule]));

/** The provider takes these fields as OpenAI documents them. */
export const takes = (...names: readonly Parameter[]): FieldRules => every(names, { support: "supported" });
/** The provider rejects or ignores these fields. */
export const lacks = (...names: readonly Parameter[]): FieldRules => every(names, { support: "unsupported" });
/** The provider takes these fields only while reasoning is off. */
export const takesWithoutReasoning = (...names: readonly Parameter[]): FieldRules =>
  every(names, { support: "supported", withoutReasoning: true });
/** The provider takes this field under another name. */
export const renames = (name: Parameter, theirs: string): FieldRules => ({
  [name]: { support: "supported", name: theirs },
});
/** The provider takes values up to this one. */
export const upTo = (name: Parameter, max: number): FieldRules => ({ [name]: { support: "supported", max } });

/** The provider takes these values. */
export const oneOf = (name: Parameter, values: readonly string[]): FieldRules => ({
  [name]: { support: "supported", values },
});

export const tools = takes("tools", "tool_choice", "forced_tool_choice");
export const formats = takes("response_format", "json_object", "structured_outputs");
/** Sampling fields that OpenAI's own API does not have. */
export const foreignSampling = ["top_k", "min_p", "top_a", "repetition_penalty"] as const;
export const penalties = ["frequency_penalty", "presence_penalty"] as const;
/** Fields of the legacy completions operation that chat does not have. */
export const completionsOnly = ["echo", "best_of", "suffix"] as const;

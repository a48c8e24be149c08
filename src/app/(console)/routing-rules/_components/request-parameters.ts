import { isRequirement, type Parameter, parameterClass, parameters } from "#contract/parameter-classes.ts";

/** What each field of a request is for, in a few words. */
const descriptions: Readonly<Record<Parameter, string>> = {
  tools: "Functions that the model may call",
  tool_choice: "Whether and which tool is called",
  forced_tool_choice: "tool_choice that requires a call",
  response_format: "Format of the answer",
  json_object: "Answer in any JSON",
  structured_outputs: "Answer that matches a JSON schema",
  n: "More than one answer",
  stop: "Texts at which the answer ends",
  logprobs: "Probabilities of the tokens",
  top_logprobs: "Probabilities of alternative tokens",
  modalities: "Answer with audio or images",
  audio: "Voice and format of audio in the answer",
  echo: "Prompt repeated in the answer (completions)",
  best_of: "Best of several answers (completions)",
  suffix: "Text after the inserted one (completions)",
  service_tier: "Speed and price class, such as flex",
  store: "Answer stored at the provider",
  inference_geo: "Region in which the model runs",
  temperature: "How random the answer is",
  top_p: "Tokens by cumulative probability",
  top_k: "Number of likely tokens considered",
  min_p: "Minimum probability of a token",
  top_a: "Tokens relative to the most likely one",
  frequency_penalty: "Fewer repetitions, by how often",
  presence_penalty: "Fewer repetitions at all",
  repetition_penalty: "Fewer repetitions, by a factor",
  seed: "Same answer for the same request",
  logit_bias: "More or less of certain tokens",
  parallel_tool_calls: "Several tool calls at once",
  reasoning: "Reasoning effort, budget and summary",
  reasoning_effort: "How much the model reasons",
  verbosity: "How detailed the answer is",
  prediction: "Expected answer, for speed",
  max_tool_calls: "Maximum number of tool calls",
  user: "ID of the end user",
  safety_identifier: "ID of the end user for abuse checks",
  prompt_cache_key: "Group of requests that share a cache",
  prompt_cache_retention: "How long prompts stay in the cache",
  prompt_cache_options: "Settings of the prompt cache",
};

const optionOf = (name: Parameter) => ({ value: name, label: name });

/** The fields in groups, by what happens where a provider does not support them. */
export const parameterGroups = [
  { group: "Required: other providers are excluded", items: parameters.filter(isRequirement).map(optionOf) },
  {
    group: "Preferred: left out where not supported",
    items: parameters.filter((name) => parameterClass(name) === "steering").map(optionOf),
  },
  {
    group: "Optional: left out where not supported",
    items: parameters.filter((name) => parameterClass(name) === "hint").map(optionOf),
  },
];

const byName: ReadonlyMap<string, string> = new Map(Object.entries(descriptions));

/** What a field is for; empty for one that we do not know. */
export const parameterDescription = (name: string): string => byName.get(name) ?? "";

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s_(),.]+/)
    .filter(Boolean);

/** Whether each word of a search begins a word of the field's name or description. */
export const matchesParameter = (name: string, search: string): boolean => {
  const words = wordsOf(`${name} ${parameterDescription(name)}`);
  return wordsOf(search).every((wanted) => words.some((word) => word.startsWith(wanted)));
};

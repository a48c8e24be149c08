/**
 * What happens to a request field that an endpoint does not support:
 * `contract` - the answer would not be what the client asked for: the endpoint is excluded.
 * `law` - it changes the price, or where data is stored: the endpoint is excluded.
 * `steering` - endpoints that support it are preferred; elsewhere it is left out and reported.
 * `hint` - it has no effect on the answer: it is left out and reported.
 */
export type ParameterClass = "contract" | "law" | "steering" | "hint";

/**
 * The class of every optional field of text requests that is sent to providers, and of three values of fields:
 * `json_object` and `structured_outputs` are a `response_format` without and with a JSON schema, `forced_tool_choice` is
 * a `tool_choice` that requires a call.
 */
export const parameterClasses = {
  tools: "contract",
  tool_choice: "contract",
  forced_tool_choice: "contract",
  response_format: "contract",
  json_object: "contract",
  structured_outputs: "contract",
  n: "contract",
  stop: "contract",
  logprobs: "contract",
  top_logprobs: "contract",
  modalities: "contract",
  audio: "contract",
  echo: "contract",
  best_of: "contract",
  suffix: "contract",
  service_tier: "law",
  store: "law",
  inference_geo: "law",
  temperature: "steering",
  top_p: "steering",
  top_k: "steering",
  min_p: "steering",
  top_a: "steering",
  frequency_penalty: "steering",
  presence_penalty: "steering",
  repetition_penalty: "steering",
  seed: "steering",
  logit_bias: "steering",
  parallel_tool_calls: "steering",
  reasoning: "steering",
  reasoning_effort: "steering",
  verbosity: "steering",
  prediction: "steering",
  max_tool_calls: "steering",
  user: "hint",
  safety_identifier: "hint",
  prompt_cache_key: "hint",
  prompt_cache_retention: "hint",
  prompt_cache_options: "hint",
} as const satisfies Readonly<Record<string, ParameterClass>>;

export type Parameter = keyof typeof parameterClasses;
export const parameters = Object.keys(parameterClasses) as readonly Parameter[];

const classes: ReadonlyMap<string, ParameterClass> = new Map(Object.entries(parameterClasses));

/** The class of a field; fields that we do not know are hints. */
export const parameterClass = (name: string): ParameterClass => classes.get(name) ?? "hint";

/** Whether a request with this field may only go to endpoints that support it. */
export const isRequirement = (name: string): boolean => {
  const of = parameterClass(name);
  return of === "contract" || of === "law";
};

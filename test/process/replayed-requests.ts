import fc from "fast-check";

export const model = "sandbox/chat";
export const messages = [{ role: "user", content: "Hello" }];

const fields = {
  data_residency: fc.constantFrom("eu", "eu_adequate", "de", "us"),
  zdr: fc.boolean(),
  ignore: fc.subarray(["sandbox-fr", "sandbox-de", "sandbox-us"], { maxLength: 2 }),
  only: fc.subarray(["sandbox-fr", "sandbox-de", "sandbox-us"], { minLength: 2 }),
  data_collection: fc.constantFrom("allow", "deny"),
  max_price: fc.record({ prompt: fc.constantFrom(0.35, 1, 5) }),
  sort: fc.constantFrom("price", "latency", "throughput"),
  order: fc.subarray(["sandbox-de", "sandbox-us"]),
  allow_fallbacks: fc.boolean(),
  require_parameters: fc.boolean(),
};
/** Preferences of rules and requests, which the sandbox can meet in most cases. */
export const preferences = fc
  .tuple(fc.record(fields), fc.subarray(Object.keys(fields), { maxLength: 2 }))
  .map(([all, names]) => Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name))));

export interface Asked {
  readonly provider: object;
  readonly model: string;
  readonly fallback: string[] | undefined;
  readonly more: object;
  readonly path: string;
  readonly named: boolean;
}

export const requests: fc.Arbitrary<Asked> = fc.record({
  provider: preferences,
  model: fc.constantFrom(model, `${model}:floor`, `${model}:nitro`),
  fallback: fc.constantFrom(undefined, ["sandbox/chat"]),
  more: fc.constantFrom<object>(
    {},
    { tools: [{ type: "function", function: { name: "f" } }], tool_choice: "required" },
    { max_tokens: 16_384 },
    { response_format: { type: "json_object" }, seed: 1 },
    { stream: true },
    { session_id: "one" },
  ),
  path: fc.constantFrom("/chat/completions", "/completions", "/responses"),
  named: fc.boolean(),
});

/** The body of a request; `ruleId` is the rule that it may name. */
export function bodyOf(
  { path, provider, model: name, fallback, more, named }: Asked,
  ruleId: string | undefined,
) {
  const rule = named && ruleId ? { rule_id: ruleId } : {};
  const asked = { model: name, ...(fallback && { models: fallback }), provider, ...rule };
  if (path === "/completions") return { ...asked, prompt: "Hello", max_tokens: 2 };
  if (path === "/responses") return { ...asked, input: "Hello", max_output_tokens: 16 };
  return { ...asked, messages, max_tokens: 2, ...more };
}

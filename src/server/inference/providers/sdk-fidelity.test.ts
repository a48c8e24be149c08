import { expect, test } from "vitest";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { scene, sends } from "#test/dialects/conversations.ts";
import type { Dialect } from "#test/dialects/dialect.ts";
import { upstreamOfFile } from "#test/dialects/file-upstream.ts";
import { dialects } from "#test/dialects/index.ts";
import type { Json } from "../wires/shared/json.ts";
import { providerKinds } from "./registry.ts";

const { upstream, exchange } = await upstreamOfFile();

const messages = [{ role: "user", content: "Hello" }];
const tools = [
  { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } },
];
const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
const format = (strict: boolean) => ({
  response_format: { type: "json_schema", json_schema: { name: "thing", schema, strict } },
});

/** What a provider of this kind receives for a standard body, and which fields are reported as dropped. */
async function receivedBy(
  dialect: Dialect,
  [upstreamModel, id]: readonly [string, string],
  body: Json,
  stream = false,
) {
  const { kind, basePath, credential } = dialect;
  const theirs = endpoint(
    provider("theirs", { kind, baseUrl: upstream.origin + basePath }),
    model(id, { supportedParameters: [] }),
    { upstreamModel },
  );
  const way = providerKinds.get(kind)?.upstream(theirs, "chat", credential);
  if (!way) throw new Error(`${kind} does not chat`);
  const dropped: string[] = [];
  const onDropped = (names: readonly string[]) => void dropped.push(...names);
  const given = exchange({ model: upstreamModel, messages, ...body }, { onDropped });
  upstream.received.length = 0;
  upstream.answer = sends(stream ? dialect.stream(scene, true) : dialect.complete(scene));
  if (stream) for await (const _ of way.stream(given));
  else await way.complete(given);
  return { body: upstream.received[0]?.body, dropped: dropped.sort() };
}

const dialectOf = (kind: string): Dialect => {
  const found = dialects.find((dialect) => dialect.kind === kind);
  if (!found) throw new Error(`${kind} has no dialect`);
  return found;
};

const sonnet45 = ["claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4.5"] as const;
const opus48 = ["claude-opus-4-8", "anthropic/claude-opus-4.8"] as const;
const opus55 = ["claude-opus-5-5", "anthropic/claude-opus-5.5"] as const;
const bedrock45 = ["eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic/claude-sonnet-4.5"] as const;
const bedrock48 = ["eu.anthropic.claude-opus-4-8", "anthropic/claude-opus-4.8"] as const;
const flash25 = ["gemini-2.5-flash", "google/gemini-2.5-flash"] as const;
const pro3 = ["gemini-3-pro-preview", "google/gemini-3-pro"] as const;
const deployment = ["prod-chat", "openai/gpt-5.1"] as const;
const medium = ["mistral-medium-latest", "mistral/medium"] as const;
const large = ["mistral-large-2512", "mistral/large"] as const;

const none: readonly string[] = [];
const cases: readonly (readonly [
  kind: string,
  names: readonly [string, string],
  request: Json,
  body: Json,
  dropped: readonly string[],
])[] = [
  // A limit includes reasoning, as clients mean it.
  [
    "anthropic",
    sonnet45,
    { max_tokens: 4000, reasoning: { effort: "high" } },
    { max_tokens: 4000, thinking: { type: "enabled", budget_tokens: 3200 } },
    none,
  ],
  [
    "anthropic",
    sonnet45,
    { max_tokens: 4000, reasoning: { max_tokens: 2000 } },
    { max_tokens: 4000, thinking: { type: "enabled", budget_tokens: 2000 } },
    none,
  ],
  [
    "anthropic",
    sonnet45,
    { max_tokens: 500, reasoning_effort: "low" },
    { max_tokens: 500 },
    ["reasoning_effort"],
  ],
  [
    "anthropic",
    sonnet45,
    { max_tokens: 500, reasoning_effort: "none" },
    { thinking: { type: "disabled" } },
    none,
  ],
  [
    "anthropic",
    opus48,
    { max_tokens: 4000, reasoning: { effort: "xhigh" } },
    {
      max_tokens: 4000,
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "xhigh" },
    },
    none,
  ],
  [
    "anthropic",
    opus55,
    { max_tokens: 4000, reasoning: { effort: "minimal", exclude: true } },
    { thinking: { type: "adaptive", display: "omitted" }, output_config: { effort: "low" } },
    none,
  ],
  [
    "bedrock",
    bedrock45,
    { max_tokens: 4000, reasoning: { max_tokens: 2000 } },
    {
      inferenceConfig: { maxTokens: 4000 },
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 2000 } },
    },
    none,
  ],
  [
    "bedrock",
    bedrock48,
    { max_tokens: 4000, reasoning: { effort: "max" } },
    {
      inferenceConfig: { maxTokens: 4000 },
      additionalModelRequestFields: {
        thinking: { type: "adaptive", display: "summarized" },
        output_config: { effort: "max" },
      },
    },
    none,
  ],
  [
    "google",
    flash25,
    { reasoning: { max_tokens: 2000 } },
    { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2000 } } },
    none,
  ],
  [
    "google",
    flash25,
    { reasoning_effort: "none" },
    { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
    none,
  ],
  [
    "google",
    pro3,
    { reasoning_effort: "xhigh" },
    { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: "high" } } },
    none,
  ],
  [
    "google",
    pro3,
    { reasoning: { enabled: false } },
    { generationConfig: { thinkingConfig: { thinkingLevel: "low" } } },
    none,
  ],
  ["mistral", medium, { reasoning_effort: "max" }, { reasoning_effort: "high" }, none],
  ["mistral", large, { reasoning_effort: "high" }, {}, ["reasoning_effort"]],
  [
    "azure",
    deployment,
    { reasoning_effort: "high", max_tokens: 900, temperature: 0.5 },
    { reasoning_effort: "high", max_completion_tokens: 900 },
    ["temperature"],
  ],
  // Parallel calls of tools.
  [
    "anthropic",
    opus48,
    { tools, parallel_tool_calls: false },
    { tool_choice: { type: "auto", disable_parallel_tool_use: true } },
    none,
  ],
  [
    "bedrock",
    bedrock48,
    { tools, parallel_tool_calls: false },
    { additionalModelRequestFields: { tool_choice: { type: "auto", disable_parallel_tool_use: true } } },
    none,
  ],
  ["mistral", large, { tools, parallel_tool_calls: false }, { parallel_tool_calls: false }, none],
  ["azure", deployment, { tools, parallel_tool_calls: false }, { parallel_tool_calls: false }, none],
  ["google", pro3, { tools, parallel_tool_calls: false }, {}, ["parallel_tool_calls"]],
  // Strictness of a schema.
  ["mistral", large, format(true), { response_format: { json_schema: { strict: true } } }, none],
  ["mistral", large, format(false), { response_format: { json_schema: { strict: false } } }, none],
  ["azure", deployment, format(true), { response_format: { json_schema: { strict: true } } }, none],
  ["azure", deployment, format(false), { response_format: { json_schema: { strict: false } } }, none],
  // What packages warn of.
  [
    "anthropic",
    opus48,
    {
      seed: 1,
      frequency_penalty: 1,
      presence_penalty: 1,
      temperature: 0.5,
      top_p: 0.5,
      top_k: 3,
      stop: ["x"],
    },
    { stop_sequences: ["x"] },
    ["frequency_penalty", "presence_penalty", "seed", "temperature", "top_k", "top_p"],
  ],
  [
    "anthropic",
    opus55,
    { tools, tool_choice: "required" },
    { tool_choice: { type: "auto" } },
    ["tool_choice"],
  ],
  [
    "bedrock",
    bedrock48,
    { seed: 1, frequency_penalty: 1, temperature: 0.5 },
    {},
    ["frequency_penalty", "seed", "temperature"],
  ],
  [
    "google",
    flash25,
    { frequency_penalty: 1, seed: 1 },
    { generationConfig: { seed: 1 } },
    ["frequency_penalty"],
  ],
  ["mistral", large, { top_k: 3, temperature: 0.5 }, { temperature: 0.5 }, ["top_k"]],
];

test.each(cases)(
  "%s, %j: %j is sent, and what is not is reported",
  async (kind, names, request, body, dropped) => {
    for (const stream of [false, true]) {
      const received = await receivedBy(dialectOf(kind), names, request, stream);
      expect(received.body).toMatchObject(body);
      expect(received.dropped).toEqual(dropped);
    }
  },
);

test("a model that takes no reasoning settings gets none", async () => {
  const { body } = await receivedBy(dialectOf("mistral"), large, { reasoning_effort: "high" });
  expect(body).not.toHaveProperty("reasoning_effort");
  const { body: without } = await receivedBy(dialectOf("anthropic"), sonnet45, {
    max_tokens: 500,
    reasoning_effort: "high",
  });
  expect(without).not.toHaveProperty("thinking");
});

import { expect, test } from "vitest";
import type { z } from "zod";
import { ChatRequest } from "./chat.ts";
import { CompletionRequest } from "./completions.ts";
import { ResponseRequest } from "./responses.ts";
import { DraftDryRunRequest, DryRunRequest, RoutingRuleCreate } from "./routing-rule.ts";
import { SimulationRequest } from "./simulation.ts";

/** Where a request does not fit, as paths; none when it does. */
const faults = (schema: z.ZodType, body: object): string[] =>
  schema.safeParse(body).error?.issues.map(({ path }) => path.join(".")) ?? [];
const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };

test.each(["system", "developer", "user"])("a chat message of a %s without content is refused", (role) => {
  expect(faults(ChatRequest, { messages: [{ role }] })).toEqual(["messages.0.content"]);
  expect(faults(ChatRequest, { messages: [{ role, content: null }] })).toEqual(["messages.0.content"]);
  expect(faults(ChatRequest, { messages: [{ role, content: "" }] })).toEqual([]);
});

test("chat messages with something other than content need none", () => {
  const messages = [
    { role: "assistant", tool_calls: [call] },
    { role: "assistant", content: null, refusal: "no" },
    { role: "assistant", audio: { id: "a" } },
    { role: "tool", tool_call_id: "c", content: null },
  ];
  expect(faults(ChatRequest, { messages })).toEqual([]);
});

test("a chat tool of type function without a function is refused; other types are not changed", () => {
  const asked = (tool: object) =>
    faults(ChatRequest, { messages: [{ role: "user", content: "a" }], tools: [tool] });
  expect(asked({ type: "function" })).toEqual(["tools.0.function"]);
  expect(asked({ type: "function", function: { name: "f" } })).toEqual([]);
  expect(asked({ type: "custom", custom: { name: "c" } })).toEqual([]);
});

test("a response without an item is refused where nothing else gives anything to answer", () => {
  expect(faults(ResponseRequest, { input: [] })).toEqual(["input"]);
  expect(faults(ResponseRequest, { input: [], previous_response_id: "resp_1" })).toEqual([]);
  expect(faults(ResponseRequest, { input: [], instructions: "Greet" })).toEqual([]);
  expect(faults(ResponseRequest, { input: "" })).toEqual([]);
});

test.each([
  ["/completions", CompletionRequest, { prompt: "a" }],
  ["/chat/completions", ChatRequest, { messages: [{ role: "user", content: "a" }] }],
  ["/responses", ResponseRequest, { input: "a" }],
])("metadata of %s may have 16 pairs and no more", (_, schema, body) => {
  const pairs = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, "v"]));
  expect(faults(schema, { ...body, metadata: pairs(16) })).toEqual([]);
  expect(faults(schema, { ...body, metadata: pairs(17) })).toEqual(["metadata"]);
});

test("a rule, and its dry run, refuse unknown fields: a misspelt requirement would have no effect", () => {
  const rule = { name: "EU only", provider: { data_residency: "eu" } };
  const misspelt = { name: "EU only", providers: { data_residency: "eu" } };
  for (const [schema, whole, wrong] of [
    [RoutingRuleCreate, rule, misspelt],
    [DryRunRequest, { model: "m" }, { model: "m", provider: {} }],
    [DraftDryRunRequest, { rule }, { rule: misspelt }],
    [SimulationRequest, { rule }, { rule: misspelt }],
    [SimulationRequest, { rule }, { rule, day: 7 }],
  ] as const) {
    expect(schema.safeParse(whole).success).toBe(true);
    expect(schema.safeParse(wrong).error?.issues).toMatchObject([{ code: "unrecognized_keys" }]);
  }
});

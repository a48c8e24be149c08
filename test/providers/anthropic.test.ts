import { expect, test } from "vitest";
import { signatureOf } from "#test/dialects/dialect.ts";
import { anthropic } from "./anthropic.ts";
import { judge } from "./serve.ts";
import { askedOf, type Row, verdicts } from "./verdicts.ts";

const ok = "accepted";
const user = { role: "user", content: "Hello" };
const says = (...content: object[]) => ({ role: "assistant", content });
const answers = (...content: object[]) => ({ role: "user", content });
const text = { type: "text", text: "a" };
const use = (id: string) => ({ type: "tool_use", id, name: "weather", input: {} });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "Sunny" });
const thought = { type: "thinking", thinking: "Hm.", signature: signatureOf("Hm.") };
const mark = (ttl?: string) => ({ ...text, cache_control: { type: "ephemeral", ...(ttl && { ttl }) } });
const enabled = { thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 2048 };
const adaptive = { thinking: { type: "adaptive" } };
const tools = [{ name: "weather", input_schema: { type: "object" } }];
const newest = { model: "claude-sonnet-5-5" };
const loop = (...before: object[]) => ({
  ...enabled,
  messages: [user, says(...before, use("toolu_thought0")), answers(result("toolu_thought0"))],
});

const rows: readonly Row[] = [
  ["nothing special", {}, ok],
  ["no limit", { max_tokens: undefined }, [400, "max_tokens: Field required"]],
  ["an unknown field", { seed: 4 }, [400, "seed: Extra inputs are not permitted"]],
  [
    "an unknown member further inside",
    { messages: [{ ...user, name: "Ada" }] },
    [400, "messages.0.name: Extra inputs"],
  ],
  ["a temperature above 1", { temperature: 1.2 }, [400, "temperature"]],
  ["a temperature", { temperature: 0.2 }, ok],
  [
    "a temperature where the model samples itself",
    { model: "claude-opus-4-7", temperature: 0.2 },
    [400, "temperature"],
  ],
  ["top_k where it does", { model: "claude-opus-4-7", top_k: 2 }, [400, "top_k"]],
  ["both kinds of sampling", { temperature: 0.2, top_p: 0.5 }, [400, "cannot both be specified"]],
  [
    "a small budget",
    { ...enabled, thinking: { type: "enabled", budget_tokens: 100 } },
    [400, "budget_tokens"],
  ],
  ["a budget as large as the answer", { ...enabled, max_tokens: 1024 }, [400, "must be greater than"]],
  [
    "a budget where thinking is adaptive only",
    { ...enabled, model: "claude-opus-4-7" },
    [400, "thinking.type.adaptive"],
  ],
  ["adaptive thinking", { ...adaptive, model: "claude-opus-4-6" }, ok],
  ["adaptive thinking of an older model", adaptive, [400, "adaptive"]],
  ["thinking that cannot be off", { ...newest, thinking: { type: "disabled" } }, [400, "disabled"]],
  ["a temperature with thinking", { ...enabled, temperature: 0.2 }, [400, "only be set to 1"]],
  ["a forced call", { tools, tool_choice: { type: "any" } }, ok],
  [
    "a forced call with thinking",
    { ...enabled, tools, tool_choice: { type: "any" } },
    [400, "forces tool use"],
  ],
  [
    "a forced call of the newest",
    { ...newest, tools, tool_choice: { type: "tool", name: "weather" } },
    [400, "forces tool use"],
  ],
  ["a call with its result", { messages: [user, says(use("a")), answers(result("a"))] }, ok],
  ["a call without its result", { messages: [user, says(use("a")), user] }, [400, "without `tool_result`"]],
  [
    "a result without its call",
    { messages: [user, answers(result("a"))] },
    [400, "unexpected `tool_use_id`"],
  ],
  ["thinking as it was", loop(thought), ok],
  [
    "a call without its thinking, of an adaptive model",
    { ...loop(), ...adaptive, model: "claude-opus-4-7" },
    ok,
  ],
  ["thinking that was hidden", loop({ type: "redacted_thinking", data: "x" }), ok],
  ["no thinking", loop(), [400, "Expected `thinking`"]],
  ["thinking with another signature", loop({ ...thought, signature: "x" }), [400, "Expected `thinking`"]],
  ["thinking that was changed", loop({ ...thought, thinking: "Hm" }), [400, "Expected `thinking`"]],
  [
    "no thinking of an earlier question",
    {
      ...enabled,
      messages: [user, says(use("toolu_thought0")), answers(result("toolu_thought0")), says(text), user],
    },
    ok,
  ],
  ["four marks", { messages: [answers(mark(), mark(), mark(), mark())] }, ok],
  ["five marks", { messages: [answers(mark(), mark(), mark(), mark(), mark())] }, [400, "maximum of 4"]],
  [
    "a long mark after a short one",
    { messages: [answers(mark(), mark("1h"))] },
    [400, "must not come after"],
  ],
  ["a long mark before a short one", { messages: [answers(mark("1h"), mark())] }, ok],
  ["an empty text", { messages: [answers({ type: "text", text: "" })] }, [400, "non-empty"]],
  ["a prefill", { messages: [user, says(text)] }, ok],
  [
    "a prefill of a newer model",
    { model: "claude-opus-4-6", messages: [user, says(text)] },
    [400, "prefill"],
  ],
  ["a system message first", { messages: [{ role: "system", content: "a" }] }, [400, "messages.0.role"]],
  ["a system message within", { messages: [user, { role: "system", content: "a" }] }, ok],
  [
    "edits of the context without their beta",
    { context_management: { edits: [] } },
    [400, "context_management"],
  ],
  ["a role of another API", { messages: [{ role: "developer", content: "a" }] }, [400, "messages.0.role"]],
];

// The version is a header, so its rule has a test of its own.
const base = { model: "claude-sonnet-4-5", max_tokens: 100, messages: [user] };
const versioned = {
  ...anthropic,
  routes: anthropic.routes.map((route) => ({ ...route, rules: route.rules.slice(1) })),
};
verdicts(versioned, "/v1/messages", base, rows);

test("anthropic /v1/messages: a request names the version of the API", () => {
  const asked = askedOf(anthropic, "/v1/messages", base);
  expect(JSON.stringify(judge(anthropic, asked).refusal?.body)).toContain("anthropic-version");
  const headers = { ...asked.headers, "anthropic-version": "2023-06-01" };
  expect(judge(anthropic, { ...asked, headers }).refusal).toBeNull();
});

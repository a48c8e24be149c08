import { expect, test } from "vitest";
import { formats } from "./details.ts";
import { hasUnsignedCalls, replayedReasoning } from "./replay.ts";
import { sdkModel } from "./sdk-options.ts";

const models = {
  anthropic: sdkModel("anthropic", "claude-sonnet-4-5", "anthropic/claude-sonnet-4.5"),
  claudeOnBedrock: sdkModel("bedrock", "arn:aws:bedrock:profile/x", "anthropic/claude-sonnet-4.5"),
  nova: sdkModel("bedrock", "amazon.nova-2-lite-v1:0", "amazon/nova-2-lite"),
  google: sdkModel("google", "gemini-3-pro-preview", "google/gemini-3-pro"),
  mistral: sdkModel("mistral", "mistral-medium-latest", "mistral/medium"),
  plainMistral: sdkModel("mistral", "mistral-large-2512", "mistral/large"),
  azure: sdkModel("azure", "prod", "openai/gpt-5.1"),
} as const;
type Name = keyof typeof models;

const text = (format: string) => ({ type: "reasoning.text", text: "Hm.", signature: "s", format, index: 0 });
const encrypted = (format: string) => ({ type: "reasoning.encrypted", data: "x", format, index: 0 });

const part = (providerOptions: object, said = "Hm.") => ({ type: "reasoning", text: said, providerOptions });

test.each<readonly [string, object, Partial<Record<Name, object>>]>([
  [
    "signed text of Claude",
    text(formats.claude),
    {
      anthropic: part({ anthropic: { signature: "s" } }),
      claudeOnBedrock: part({ amazonBedrock: { signature: "s" } }),
    },
  ],
  [
    "what Anthropic redacted",
    encrypted(formats.claude),
    { anthropic: part({ anthropic: { redactedData: "x" } }, "") },
  ],
  [
    "what Bedrock redacted",
    encrypted(formats.bedrock),
    { claudeOnBedrock: part({ amazonBedrock: { redactedContent: "x" } }, "") },
  ],
  ["signed text of Gemini", text(formats.gemini), { google: part({ google: { thoughtSignature: "s" } }) }],
  ["encrypted reasoning of OpenAI", encrypted("openai-responses-v1"), {}],
  ["text without a signature", { type: "reasoning.text", text: "Hm.", format: formats.claude, index: 0 }, {}],
])("%s goes only to those who can read it; others report that it is dropped", (_, detail, readers) => {
  for (const [name, model] of Object.entries(models)) {
    if (model.replaysText) continue;
    const { parts, dropped } = replayedReasoning({ reasoning_details: [detail] }, model);
    const expected = readers[name as Name];
    expect(parts, name).toEqual(expected ? [expected] : []);
    expect(dropped, name).toEqual(expected ? [] : ["messages.reasoning_details"]);
  }
});

test("signatures of Gemini go back to the calls and the text they came with", () => {
  const message = {
    reasoning_details: [
      { ...encrypted(formats.gemini), id: "call_1" },
      { ...encrypted(formats.gemini), data: "y" },
    ],
  };
  const { textOptions, callOptions, dropped } = replayedReasoning(message, models.google);
  expect(callOptions("call_1", {})).toEqual({ google: { thoughtSignature: "x" } });
  expect(callOptions("call_2", {})).toBeUndefined();
  expect(callOptions("call_2", { extra_content: { google: { thought_signature: "z" } } })).toEqual({
    google: { thoughtSignature: "z" },
  });
  expect(textOptions).toEqual({ google: { thoughtSignature: "y" } });
  expect(dropped).toEqual([]);
});

test("reasoning as text goes to Mistral's reasoning models; elsewhere it is reported as dropped", () => {
  const message = { reasoning_content: "Hm." };
  expect(replayedReasoning(message, models.mistral)).toMatchObject({
    parts: [{ type: "reasoning", text: "Hm." }],
    dropped: [],
  });
  for (const model of [models.plainMistral, models.anthropic, models.google, models.azure])
    expect(replayedReasoning(message, model)).toMatchObject({ parts: [], dropped: ["messages.reasoning"] });
});

test("a tool loop with calls of another provider is detected until the next message of the user", () => {
  const user = { role: "user", content: "Hi" };
  const call = { role: "assistant", tool_calls: [{ id: "1" }] };
  const signedCall = { ...call, reasoning_details: [text(formats.claude)] };
  const result = { role: "tool", tool_call_id: "1", content: "x" };
  expect(hasUnsignedCalls([user, call, result], models.anthropic)).toBe(true);
  expect(hasUnsignedCalls([user, signedCall, result], models.anthropic)).toBe(false);
  expect(hasUnsignedCalls([user, signedCall, result, call, result], models.anthropic)).toBe(true);
  expect(hasUnsignedCalls([user, call, result, user], models.anthropic)).toBe(false);
  expect(hasUnsignedCalls([user, call, result], models.google)).toBe(false);
});

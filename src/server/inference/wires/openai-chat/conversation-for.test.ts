import { expect, test } from "vitest";
import type { ChatMessage } from "#contract/chat.ts";
import { dialects, type Endpoint, endpointRules } from "#server/catalog/index.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { conversationFor } from "./conversation-for.ts";

function at(dialect: string, name = "m"): Endpoint {
  const found = dialects[dialect];
  if (!found) throw new Error(`${dialect} is no dialect`);
  const rules = endpointRules(found, [name], { endpoint: null, model: null });
  return endpoint(provider("p"), model("m/x"), { rules });
}

const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } };
const call: ChatMessage = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "call_1", type: "function", function: { name: "a", arguments: "{}" } }],
};
const result: ChatMessage = {
  role: "tool",
  tool_call_id: "call_1",
  content: [{ type: "text", text: "Sunny" }, picture],
};

test("a picture in a tool's result follows in a message of the user where results are text only", () => {
  expect(conversationFor([call, result], at("openai"))).toEqual([
    call,
    { ...result, content: [{ type: "text", text: "Sunny" }] },
    {
      role: "user",
      content: [{ type: "text", text: "Attached to the result of the tool call call_1:" }, picture],
    },
  ]);
  const messages = [call, result];
  expect(conversationFor(messages, at("vllm"))).toBe(messages);
});

test("what a provider cannot take is refused by its name", () => {
  const address = { type: "image_url", image_url: { url: "https://pictures.example/1.png" } };
  const begun: ChatMessage[] = [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "It is" },
  ];
  expect(() => conversationFor([{ role: "user", content: [address] }], at("ollama"))).toThrow(
    "messages.content.image_url",
  );
  expect(() => conversationFor(begun, at("anthropic", "claude-opus-4-7"))).toThrow("messages");
  expect(conversationFor(begun, at("anthropic", "claude-sonnet-4-5"))).toBe(begun);
});

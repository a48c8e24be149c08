import { expect, test } from "vitest";
import type { ChatMessage } from "#contract/chat.ts";
import { lostReasoning, messagesFor, withRequired } from "./messages.ts";

const sent = (message: ChatMessage, accepted: readonly string[] | null) =>
  messagesFor([message], accepted && new Set(accepted), () => {})[0];

const spoken = { role: "assistant", content: "Hi" } as const;

test.each([
  ["reasoning", "that ignores unknown members", null, { reasoning: "Hm.", reasoning_content: "Hm." }],
  ["reasoning_content", "that ignores unknown members", null, { reasoning: "Hm.", reasoning_content: "Hm." }],
  ["reasoning", "that takes reasoning_content", ["reasoning_content"], { reasoning_content: "Hm." }],
  ["reasoning_content", "that takes reasoning", ["reasoning"], { reasoning: "Hm." }],
  ["reasoning", "that takes no reasoning", [], {}],
] as const)(
  "a message with %s is sent to a provider %s under the names it reads",
  (name, _, extra, expected) => {
    const accepted = extra && ["role", "content", ...extra];
    expect(sent({ ...spoken, [name]: "Hm." }, accepted)).toEqual({ ...spoken, ...expected });
  },
);

test("a message without reasoning is sent as the same object", () => {
  expect(sent(spoken, null)).toBe(spoken);
});

test.each([
  [{ reasoning: "Hm." }, null, []],
  [{ reasoning: "Hm." }, ["role", "content"], ["messages.reasoning"]],
  [{ reasoning_content: "Hm." }, ["role", "content", "reasoning"], []],
  [{ reasoning_details: [{ type: "reasoning.text" }] }, ["reasoning"], ["messages.reasoning_details"]],
  [{ reasoning: "", reasoning_details: [] }, [], []],
] as const)("of %j a provider that takes %j does not get %j", (own, accepted, lost) => {
  const message = { role: "assistant", content: "Hi", ...own } as ChatMessage;
  expect(lostReasoning([message], accepted && new Set(accepted))).toEqual(lost);
});

test("messages with calls get the member that a provider requires, empty if the client has not sent it", () => {
  const call = { id: "1", type: "function", function: { name: "f", arguments: "{}" } };
  const calling: ChatMessage = { role: "assistant", content: null, tool_calls: [call] };
  const reasoned: ChatMessage = { ...calling, reasoning_content: "Hm." };
  expect(withRequired([spoken, calling, reasoned], "reasoning_content")).toEqual([
    spoken,
    { ...calling, reasoning_content: "" },
    reasoned,
  ]);
});

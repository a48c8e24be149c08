import { expect, test } from "vitest";
import type { ChatMessage } from "#contract/chat.ts";
import { systemFirst } from "./system-messages.ts";

const system = (content: ChatMessage["content"]): ChatMessage => ({ role: "system", content });
const user: ChatMessage = { role: "user", content: "Hi" };

test.each([[[]], [[user]], [[system("a"), user]], [[system("a"), system("b"), user, user]]])(
  "messages that begin with those of the system are left as they are: %j",
  (messages) => {
    expect(systemFirst(messages)).toBeNull();
  },
);

test("texts of the system become one, in their order; content with marks stays apart", () => {
  const marked = system([{ type: "text", text: "c", cache_control: { type: "ephemeral" } }]);
  expect(systemFirst([system("a"), user, system("b"), user, marked])).toEqual([
    system("a\n\nb"),
    marked,
    user,
    user,
  ]);
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChatMessage } from "#contract/chat.ts";
import { middleOut } from "./middle-out.ts";

const tokensOf = ({ content }: ChatMessage) => 1 + (typeof content === "string" ? content.length : 0);
const sizeOf = (messages: readonly ChatMessage[]) =>
  messages.reduce((total, one) => total + tokensOf(one), 0);

const words = fc.string({ minLength: 1, maxLength: 20 });
const said = (role: ChatMessage["role"]) => words.map((content): ChatMessage[] => [{ role, content }]);
const calling = fc.array(words, { minLength: 1, maxLength: 3 }).map((results): ChatMessage[] => [
  {
    role: "assistant",
    content: null,
    tool_calls: results.map((_, at) => ({
      id: `c${at}`,
      type: "function",
      function: { name: "f", arguments: "" },
    })),
  },
  ...results.map((content, at): ChatMessage => ({ role: "tool", content, tool_call_id: `c${at}` })),
]);
const conversation = fc
  .tuple(
    fc.array(said("system"), { maxLength: 2 }),
    fc.array(fc.oneof(said("user"), said("assistant"), calling), { minLength: 1, maxLength: 12 }),
  )
  .map(([instructions, turns]) => [...instructions, ...turns].flat());

describe("middle-out", () => {
  test("messages that fit are passed on as the same array", () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        expect(middleOut(messages, sizeOf(messages), tokensOf)).toBe(messages);
      }),
    );
  });

  test("the rest fits where that is possible, with the first and the last message, in order", () => {
    fc.assert(
      fc.property(conversation, fc.nat(300), (messages, room) => {
        const rest = middleOut(messages, room, tokensOf);
        const unchanged = rest.filter((one) => messages.includes(one));
        // At most one message is shortened.
        expect(rest.length - unchanged.length).toBeLessThanOrEqual(1);
        const places = unchanged.map((one) => messages.indexOf(one));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect([rest[0]?.role, rest.at(-1)?.role]).toEqual([messages[0]?.role, messages.at(-1)?.role]);
        if (rest.length === unchanged.length && rest.length < messages.length)
          expect([rest[0], rest.at(-1)]).toEqual([messages[0], messages.at(-1)]);
        if (sizeOf(rest) > room) expect(rest.length).toBeLessThan(9);
      }),
    );
  });

  test("a call of tools and its results are never separated, and no instruction at the beginning is lost", () => {
    fc.assert(
      fc.property(conversation, fc.nat(300), (messages, room) => {
        const rest = middleOut(messages, room, tokensOf);
        for (const [at, { role }] of rest.entries())
          if (role === "tool") expect(["assistant", "tool"]).toContain(rest[at - 1]?.role);
        const owed = rest.flatMap(({ tool_calls: calls }) => calls ?? []).length;
        expect(rest.filter(({ role }) => role === "tool")).toHaveLength(owed);
        const leading = messages.findIndex(({ role }) => role !== "system");
        expect(rest.filter(({ role }) => role === "system").length).toBe(Math.max(leading, 0));
      }),
    );
  });

  test("no more is removed than necessary, from the middle first", () => {
    const messages = Array.from(
      { length: 7 },
      (_, at): ChatMessage => ({ role: "user", content: String(at) }),
    );
    const left = (room: number) =>
      middleOut(messages, room, tokensOf)
        .map(({ content }) => content)
        .join("");
    expect([14, 13, 11, 9, 7, 5, 4].map(left)).toEqual([
      "0123456",
      "012456",
      "01456",
      "0156",
      "056",
      "06",
      "06",
    ]);
  });

  test("a text that is too long alone loses its middle", () => {
    const content = "beginning, much in between, end";
    const [only] = middleOut([{ role: "user", content }], 20, tokensOf);
    expect(only?.content).toMatch(/^beginn.*end$/);
    expect(String(only?.content).length).toBeLessThanOrEqual(19);
  });
});

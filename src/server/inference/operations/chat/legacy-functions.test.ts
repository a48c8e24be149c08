import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChatRequest } from "#contract/chat.ts";
import type { Spoken } from "#server/inference/wires/shared/assistant-message.ts";
import { AppError } from "#server/platform/errors.ts";
import { legacyPiece, withTools } from "./legacy-functions.ts";

const weather = { name: "weather", parameters: { type: "object", properties: {} } };
const user = { role: "user", content: "Hello" };
const called = (name: string, given = "{}") => ({
  role: "assistant",
  content: null,
  function_call: { name, arguments: given },
});
const result = (name: string, content = "1") => ({ role: "function", name, content });
const asked = (own: object) => ChatRequest.parse({ model: "m", messages: [user], ...own });

describe("requests in the older form", () => {
  test("a request without it is passed on as the same object", () => {
    const request = asked({ tools: [{ type: "function", function: weather }], tool_choice: "auto" });
    expect(withTools(request)).toBe(request);
  });

  test.each([
    ["none", "none"],
    ["auto", "auto"],
    [{ name: "weather" }, { type: "function", function: { name: "weather" } }],
    [undefined, undefined],
  ])("function_call %j becomes tool_choice %j", (function_call, tool_choice) => {
    const {
      functions,
      function_call: older,
      ...sent
    } = withTools(asked({ functions: [weather], function_call }));
    expect([functions, older]).toEqual([undefined, undefined]);
    expect(sent.tools).toEqual([{ type: "function", function: weather }]);
    expect(sent.tool_choice).toEqual(tool_choice);
    expect(sent.parallel_tool_calls).toBe(false);
  });

  test("results get the id of their call, also with several calls of one function", () => {
    const messages = [user, called("a"), called("b"), result("b"), result("a"), called("a"), result("a")];
    const sent = withTools(asked({ messages })).messages.map(
      ({ tool_calls: calls, tool_call_id: id, role }) => [role, calls?.[0]?.id ?? id ?? null],
    );
    expect(sent).toEqual([
      ["user", null],
      ["assistant", "call00001"],
      ["assistant", "call00002"],
      ["tool", "call00002"],
      ["tool", "call00001"],
      ["assistant", "call00003"],
      ["tool", "call00003"],
    ]);
  });

  test("every result follows its call, and ids stay the same when the conversation goes on", () => {
    const name = fc.constantFrom("a", "b");
    fc.assert(
      fc.property(fc.array(name, { maxLength: 12 }), fc.nat(12), (names, kept) => {
        const turns = names.map((each) => [called(each, `{"at":1}`), result(each)]);
        const sent = (some: typeof turns) => withTools(asked({ messages: [user, ...some.flat()] })).messages;
        const all = sent(turns);
        const first = sent(turns.slice(0, kept));
        expect(all.slice(0, first.length)).toEqual(first);
        const ids = all.flatMap(({ tool_calls: calls }) => calls?.map(({ id }) => id) ?? []);
        expect(new Set(ids).size).toBe(names.length);
        expect(all.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual(ids);
        expect(all.every((each) => each.role !== "function" && each.function_call === undefined)).toBe(true);
      }),
    );
  });

  test("an id of a tool call in the conversation is not given again", () => {
    const call = { id: "call00001", type: "function", function: { name: "x", arguments: "{}" } };
    const messages = [user, { role: "assistant", tool_calls: [call] }, called("a")];
    expect(withTools(asked({ messages })).messages[2]?.tool_calls?.[0]?.id).toBe("call00002");
  });

  test.each([
    [{ functions: [weather], tools: [{ type: "function", function: weather }] }, "tools"],
    [{ functions: [weather], tool_choice: "auto" }, "tool_choice"],
    [{ function_call: "auto" }, "function_call"],
    [{ messages: [user, result("weather")] }, "messages.1.name"],
    [{ messages: [user, called("a"), result("a"), result("a")] }, "messages.3.name"],
    [{ messages: [user, called("a"), { role: "function", content: "1" }] }, "messages.2.name"],
  ])("%j is refused for %s", (own, param) => {
    const error = (() => {
      try {
        return withTools(asked(own));
      } catch (thrown) {
        return thrown;
      }
    })();
    if (!(error instanceof AppError)) throw new Error("It was accepted");
    expect([error.code, error.param]).toEqual(["BAD_REQUEST", param]);
  });
});

describe("answers in the older form", () => {
  const piece = (delta: Spoken) =>
    legacyPiece({ index: 0, finish_reason: "tool_calls", native_finish_reason: "x", logprobs: null, delta });

  test("the first call is function_call, and further ones keep their order", () => {
    const opening = { index: 0, id: "x", type: "function", function: { name: "a", arguments: "" } };
    const next = { index: 1, id: "y", type: "function", function: { name: "b", arguments: "" } };
    expect(piece({ tool_calls: [opening, next] })).toMatchObject({
      finish_reason: "function_call",
      native_finish_reason: "x",
      delta: { function_call: { name: "a", arguments: "" }, tool_calls: [{ ...next, index: 0 }] },
    });
    const { delta } = piece({ tool_calls: [{ index: 1, function: { arguments: "{" } }] });
    expect(delta).toEqual({ tool_calls: [{ index: 0, function: { arguments: "{" } }] });
  });

  test("a delta without calls is passed on unchanged", () => {
    const delta = { content: "word" };
    expect(piece(delta).delta).toBe(delta);
  });
});

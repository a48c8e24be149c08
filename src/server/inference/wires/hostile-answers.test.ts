import { describe, expect, test } from "vitest";
import { ChatRequest } from "#contract/chat.ts";
import { CompletionRequest } from "#contract/completions.ts";
import { ResponseItem, ResponseTool } from "#contract/response-items.ts";
import { generating } from "#server/platform/batches.ts";
import { limits } from "#server/platform/limits.ts";
import { chatContent } from "../operations/shared/chat-content.ts";
import { fanOut } from "../pipeline/fan-out.ts";
import { chatRequestOf, nativeOnly } from "./openai-chat/responses-to-chat.ts";
import { chatReader, nativeChat } from "./openai-chat/wire.ts";
import { completionsAsChat, nativeCompletions } from "./openai-completions/wire.ts";
import type { PreparedResponse } from "./openai-responses/prepared-response.ts";
import { nativeResponses, responsesAsChat } from "./openai-responses/wire.ts";
import { dataUrlOf } from "./shared/data-url.ts";
import type { Json } from "./shared/json.ts";

const malformed = (words: RegExp) =>
  expect.objectContaining({
    failure: expect.objectContaining({ outcome: "malformed" }),
    message: expect.stringMatching(words),
  });
const tooMany = malformed(/more choices than were asked for/);

const said = (index: number) => ({
  index,
  message: { content: "a" },
  text: "a",
  finish_reason: "stop",
});
const choices = (count: number) => ({ choices: Array.from({ length: count }, (_, index) => said(index)) });
const chat = (more: object = {}) =>
  ChatRequest.parse({ messages: [{ role: "user", content: "hi" }], ...more });
const prepared = { items: [], store: false } as unknown as PreparedResponse;

describe("choices", () => {
  const completion = (body: object) => CompletionRequest.parse({ prompt: "a", ...body });
  test.each<[string, () => { answer(value: unknown): unknown; event(value: unknown): unknown }, number]>([
    ["chat", () => nativeChat.reader(chat()), 1],
    ["chat with n", () => nativeChat.reader(chat({ n: 3 })), 3],
    ["a completion", () => nativeCompletions.reader(completion({})), 1],
    ["tokens", () => nativeCompletions.reader(completion({ prompt: [1, 2, 3] })), 1],
    ["several prompts with n", () => nativeCompletions.reader(completion({ prompt: ["a", "b"], n: 2 })), 4],
    ["several prompts as chat", () => completionsAsChat.reader(completion({ prompt: ["a", "b"], n: 2 })), 4],
    ["a response by chat", () => responsesAsChat.reader(prepared), 1],
  ])("of %s are as many as were asked for, and one more is a broken answer", (_, reader, count) => {
    expect(reader().answer(choices(count))).not.toBeNull();
    expect(() => reader().answer(choices(count + 1))).toThrow(tooMany);
    expect(() => reader().answer(choices(200_000))).toThrow(tooMany);
    const stream = reader();
    for (let index = 0; index < count; index++)
      expect(stream.event({ choices: [{ index, delta: { content: "a" } }] })).not.toBeNull();
    expect(() => stream.event({ choices: [{ index: 7e9, delta: { content: "a" } }] })).toThrow(tooMany);
  });

  test("of each of several bodies are counted before they are numbered on", async () => {
    const upstream = fanOut(
      {
        complete: async () => choices(200_000),
        stream: generating(async function* () {
          yield [choices(3)];
        }),
      },
      [{ n: 2 }, { n: 2 }],
    );
    const exchange = { signal: new AbortController().signal } as Parameters<typeof upstream.complete>[0];
    await expect(upstream.complete(exchange)).rejects.toEqual(tooMany);
    await expect(Array.fromAsync(upstream.stream(exchange))).rejects.toEqual(tooMany);
  });

  test("no more than so many of one request may be asked for", () => {
    expect(() => completion({ prompt: Array(2048).fill("a"), n: 2 })).toThrow(/2048 answers at most/);
    expect(() => completion({ prompt: Array(128).fill("a"), best_of: 17 })).toThrow(/2048 answers at most/);
    expect(completion({ prompt: Array(128).fill("a"), n: 16 })).toBeDefined();
  });
});

describe("lists of one message", () => {
  const { partsMax } = limits.upstream;
  test.each(["tool_calls", "annotations"])("of %s hold as many as anybody makes", (name) => {
    const message = (count: number) => ({
      choices: [
        {
          index: 0,
          message: { content: "a", [name]: Array(count).fill({ function: { name: "f" } }) },
          finish_reason: "stop",
        },
      ],
    });
    expect(chatReader(1).answer(message(partsMax))).not.toBeNull();
    expect(() => chatReader(1).answer(message(partsMax + 1))).toThrow(malformed(/too many parts/));
  });

  test("of tool calls do not grow without end over a stream either", () => {
    const reader = responsesAsChat.reader(prepared);
    const call = (id: number) => ({ index: 0, id: `call_${id}`, function: { name: "f", arguments: "{}" } });
    expect(() => {
      for (let id = 0; id <= partsMax; id++)
        reader.event({ choices: [{ delta: { tool_calls: [call(id)] } }] });
    }).toThrow(malformed(/too many tool calls/));
  });
});

describe("events of a response", () => {
  const reader = () => nativeResponses.reader(prepared);
  const added = (output_index: unknown) => ({
    type: "response.output_item.added",
    output_index,
    item: { type: "message", content: [] },
  });

  test.each([[1e9], [-1], [0.5], ["0"], [Number.MAX_VALUE]])(
    "that name the place %j are a broken answer",
    (place) => {
      expect(() => reader().event(added(place))).toThrow(malformed(/place that cannot be/));
    },
  );

  test("that name a part far away change nothing", () => {
    const one = reader();
    one.event(added(0));
    const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
    one.event({ type: "response.content_part.added", output_index: 0, content_index: 0, part });
    one.event({ type: "response.content_part.added", output_index: 0, content_index: 1e9, part });
    const delta = {
      type: "response.output_text.delta",
      output_index: 0,
      delta: "a",
      logprobs: [{ token: "a" }],
    };
    one.event({ ...delta, content_index: 1e9 });
    const read = one.event({ ...delta, content_index: 0 }) as { output: { items(): Json[] } } | null;
    expect(read?.output.items()).toEqual([
      { type: "message", content: [{ ...part, text: "a", logprobs: [{ token: "a" }] }] },
    ]);
    // What was sent on to the client before is not changed by what came later.
    expect(part.logprobs).toEqual([]);
  });

  test("that bring probabilities by the ten thousand are put together in the time they take", () => {
    const one = reader();
    one.event(added(0));
    one.event({
      type: "response.content_part.added",
      output_index: 0,
      content_index: 0,
      part: { type: "output_text", text: "" },
    });
    for (let at = 0; at < 50_000; at++)
      one.event({
        type: "response.output_text.delta",
        output_index: 0,
        content_index: 0,
        delta: "a",
        logprobs: [{ token: "a" }],
      });
  }, 10_000);

  test("and items without number are a broken answer", () => {
    const output = Array(limits.upstream.partsMax + 1).fill({ type: "message" });
    const full = { object: "response", status: "completed", output };
    expect(() => reader().answer(full)).toThrow(malformed(/too many items/));
  });
});

describe("words that every object knows", () => {
  const words = ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"];

  test.each(words)("%s means nothing as a type or a reason", (type) => {
    for (const schema of [ResponseItem, ResponseTool]) expect(schema.safeParse({ type }).success).toBe(true);
    expect(ResponseItem.safeParse({ role: "user", content: [{ type }] }).success).toBe(true);
    const items = [{ type }, { role: "user", content: [{ type }] }] as unknown as PreparedResponse["items"];
    expect(nativeOnly({ ...prepared, items })).toBe("input");
    expect(chatRequestOf({ ...prepared, items }).messages).toHaveLength(1);
    const answer = { choices: [{ index: 0, message: { content: "a" }, finish_reason: type }] };
    expect(chatReader(1).answer(answer).finishReason).toBe("stop");
    expect(nativeResponses.reader(prepared).event({ type, output_index: 0 })).toMatchObject({
      events: [{ type }],
    });
  });
});

describe("addresses with data in them", () => {
  test.each([
    ["data:image/png;base64,AAAA", { type: "image/png", isBase64: true, data: "AAAA" }],
    ["data:text/plain;charset=utf-8,a,b", { type: "text/plain", isBase64: false, data: "a,b" }],
    ["data:,x", { type: "", isBase64: false, data: "x" }],
    ["data:image/png;base64", null],
    ["https://example.eu/a.png", null],
  ])("%s", (url, parts) => {
    expect(dataUrlOf(url)).toEqual(parts);
  });

  test.each([
    ["a head that never ends", `data:${"a".repeat(8_000_000)}`],
    ["parameters that never end", `data:${";a".repeat(4_000_000)}`],
    ["padding that is none", `data:image/png;base64,${"=".repeat(8_000_000)}x`],
    ["nothing but padding", `data:image/png;base64,${"=".repeat(8_000_000)}`],
  ])(
    "of %s are processed in linear time",
    (_, url) => {
      const content = [{ type: "image_url", image_url: { url } }];
      const reported = chatContent(chat({ messages: [{ role: "user", content }] }), []);
      expect(reported.input[0]?.parts).toHaveLength(1);
    },
    5_000,
  );
});

import { expect, test } from "vitest";
import { generating } from "#server/platform/batches.ts";
import { limits } from "#server/platform/limits.ts";
import type { OutboundResponse } from "#server/platform/outbound.ts";
import { parseEvent, readAnswer } from "./answer-json.ts";
import { counterFor } from "./package-guard.ts";

const partBytes = 64 * 1024;

/** An answer of 200 with these bytes, in parts. */
function responseOf(text: string): OutboundResponse {
  const all = Buffer.from(text);
  return {
    status: 200,
    headers: {},
    async bytes(_max, each) {
      for (let at = 0; at < all.length; at += partBytes) each?.(all.subarray(at, at + partBytes));
      return all;
    },
    text: async () => text,
    batches: generating(async function* () {
      yield [all];
    }),
    release: () => {},
    abort: () => {},
  };
}

const refused = (words: RegExp) =>
  expect.objectContaining({ name: "AttemptError", message: expect.stringMatching(words) });
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const empty = (count: number) => `[${Array(count).fill("{}").join()}]`;

test("an answer is what V8 reads, however long it is", async () => {
  for (const words of [1, 400_000]) {
    const value = {
      choices: [{ message: { content: "a wörd ".repeat(words) } }],
      usage: { prompt_tokens: 3 },
    };
    expect(await readAnswer(responseOf(JSON.stringify(value)))).toEqual(value);
  }
});

test.each([
  ["too deep", nested(65), /64 levels/],
  ["of too many objects", empty(limits.upstream.answer.containersMax + 1), /objects and arrays at most/],
  ["no JSON", '{"choices":', /not JSON/],
  ["no JSON, at length", `{"a":"${"x".repeat(2_000_000)}"`, /not JSON/],
  ["ambiguous, at length", `{"a":"${"x".repeat(2_000_000)}","a":1}`, /not JSON/],
])("an answer that is %s counts as broken", async (_, text, words) => {
  await expect(readAnswer(responseOf(text))).rejects.toEqual(refused(words));
});

test("an event is bounded as an answer is, but closer", () => {
  expect(parseEvent('{"a":[1,2]}')).toEqual({ a: [1, 2] });
  expect(() => parseEvent(nested(2_000))).toThrow(refused(/64 levels/));
  expect(() => parseEvent(empty(limits.upstream.event.containersMax))).toThrow(refused(/at most/));
  expect(() => parseEvent("{")).toThrow(refused(/not JSON/));
});

/** What counts the answers of packages, fed with a text in parts of every kind. */
function feed(type: string, bytes: Buffer, size: number) {
  const { count } = counterFor(type, limits.upstream.packageAnswer);
  for (let at = 0; at < bytes.length; at += size) count(bytes.subarray(at, at + size));
}

const events = "text/event-stream; charset=utf-8";
const many = Array(limits.upstream.event.elementsMax / 4)
  .fill(0)
  .join();
const good = `: "a comment\n\nevent: x\r\ndata: {"a":[${many}]}\r\n\r\ndata: "half of a string\n\ndata: [DONE]\n\n`;

test("of a stream for a package each event is counted by itself, wherever it is cut", () => {
  const text = Buffer.from(good.repeat(10));
  for (const size of [1, 7, 100_000, text.length]) expect(() => feed(events, text, size)).not.toThrow();
});

test.each(["\n", "\r\n", "\r"])("an event may not hide behind its lines, which end in %j", (end) => {
  const lines = [': "', ...Array(6).fill(`data: [${many}`), ""].join(end);
  const deep = ["event: x", `data: ${nested(65)}`, "", ""].join(end);
  const long = Array(20)
    .fill(`data: ${"x".repeat(100_000)}`)
    .join(end);
  for (const size of [1_000, 1_000_000]) {
    expect(() => feed(events, Buffer.from(lines), size)).toThrow(refused(/elements at most/));
    expect(() => feed(events, Buffer.from(deep), size)).toThrow(refused(/64 levels/));
    expect(() => feed(events, Buffer.from(long), size)).toThrow(refused(/too large/));
  }
});

/** One message of Amazon's event streams; nobody here checks its sums. */
function message(payload: string, header = Buffer.from([34, 34, 34])): Buffer {
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(12 + header.length + body.length + 4, 0);
  prelude.writeUInt32BE(header.length, 4);
  return Buffer.concat([prelude, header, body, Buffer.alloc(4)]);
}

test("of Amazon's streams each message is counted, and what is none is refused", () => {
  const type = "application/vnd.amazon.eventstream";
  const stream = Buffer.concat([
    message(`{"a":[${many}]}`),
    message("{}"),
    message(`{"b":"${'\\"'.repeat(100)}"}`),
  ]);
  for (const size of [1, 13, stream.length]) expect(() => feed(type, stream, size)).not.toThrow();
  for (const size of [13, 1_000_000]) {
    expect(() => feed(type, message(nested(65)), size)).toThrow(refused(/64 levels/));
    expect(() => feed(type, message("x".repeat(2_000_000)), size)).toThrow(refused(/too large/));
    expect(() => feed(type, Buffer.alloc(40), size)).toThrow(refused(/protocol/));
  }
});

test("what is no stream is counted as one text", () => {
  const { containersMax } = limits.upstream.packageAnswer;
  expect(() => feed("application/json", Buffer.from(empty(containersMax - 1)), 1_000)).not.toThrow();
  expect(() => feed("application/json", Buffer.from(empty(containersMax + 1)), 1_000)).toThrow(
    refused(/at most/),
  );
});

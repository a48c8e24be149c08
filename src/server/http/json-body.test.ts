import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { parseJson, readBody } from "./json-body.ts";

const parse = (text: string) => parseJson(Buffer.from(text));
const refused = (message: RegExp) =>
  expect.objectContaining({ code: "BAD_REQUEST", message: expect.stringMatching(message) });
const nested = (depth: number, open = "[", close = "]") => open.repeat(depth) + close.repeat(depth);
const keys = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 0])));

test("plain JSON comes through as it is, and nothing counts as an empty object", () => {
  expect(parse('{"a":[1,2,{"b":null}],"c":"é"}')).toEqual({ a: [1, 2, { b: null }], c: "é" });
  expect(parse("")).toEqual({});
});

describe("depth", () => {
  test("up to the limit is read, one more is refused", () => {
    expect(parse(nested(limits.body.depthMax))).toBeDefined();
    expect(() => parse(nested(limits.body.depthMax + 1))).toThrow(refused(/64 levels/));
    expect(() => parse(nested(limits.body.depthMax + 1, '{"a":', "}").replace("}", "1}"))).toThrow(
      refused(/64 levels/),
    );
  });

  test("20,000 levels are refused without overflowing the stack", () => {
    expect(() => parse(nested(20_000))).toThrow(refused(/64 levels/));
  });
});

describe("keys", () => {
  test("up to the limit are read, one more is refused", () => {
    expect(Object.keys(parse(keys(limits.body.keysMax)) as object)).toHaveLength(limits.body.keysMax);
    expect(() => parse(keys(limits.body.keysMax + 1))).toThrow(refused(/10000 keys/));
  });

  test("are counted over all objects together", () => {
    const half = keys(limits.body.keysMax / 2);
    expect(() => parse(`[${half},${half},{"one":1}]`)).toThrow(refused(/keys/));
  });

  test.each([
    '{"__proto__":{"admin":true}}',
    '[{"a":{"__proto__":1}}]',
    '{"constructor":{"prototype":{}}}',
    '{"\\u005f_proto__":1}',
  ])("that poison prototypes are refused: %s", (text) => {
    expect(() => parse(text)).toThrow(refused(/__proto__ or constructor/));
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test("constructor is a name like any other, as formula one's data and schemas of classes have it", () => {
    const text =
      '{"properties":{"constructor":{"type":"string"}},"required":["constructor"],"constructor":"x"}';
    expect(JSON.stringify(parse(text))).toBe(text);
  });

  test("the same words as values are harmless", () => {
    expect(parse('{"prompt":"what is __proto__ and constructor?"}')).toEqual({
      prompt: "what is __proto__ and constructor?",
    });
  });
});

describe("characters", () => {
  test("U+0000 is refused wherever it hides", () => {
    for (const text of ['{"a":"\\u0000"}', '{"\\u0000":1}'])
      expect(() => parse(text)).toThrow(refused(/U\+0000/));
    expect(() => parse('{"a":"\u0000"}')).toThrow(refused(/not valid JSON/));
  });

  test.each(['{"a":"\\ud800"}', '{"a":["x","\\uDC00 y"]}', '{"a":{"\\udbff":1}}', '[["\\udfff\\ud800"]]'])(
    "half of a surrogate pair is refused wherever it hides: %s",
    (text) => {
      expect(() => parse(text)).toThrow(refused(/surrogate pair/));
    },
  );

  test("whole pairs come through, escaped or not, and so does the word of one", () => {
    expect(parse('{"a":"\\ud83d\\ude00 😀 \\\\ud800"}')).toEqual({ a: "😀 😀 \\ud800" });
  });

  test("a backslash before the word u0000 is no U+0000", () => {
    expect(parse('{"a":"\\\\u0000"}')).toEqual({ a: "\\u0000" });
  });
});

describe("reading", () => {
  /** Hands the request of `send` to `use` and resolves with what that comes to. */
  async function whileServing<T>(
    send: (socket: Socket) => void,
    use: (req: IncomingMessage, socket: Socket) => Promise<T>,
  ): Promise<T> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    onTestFinished(() => {
      socket.destroy();
      server.close();
    });
    send(socket);
    const [req] = (await once(server, "request")) as [IncomingMessage];
    return await use(req, socket);
  }
  const post = (body: string, length = body.length) =>
    `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n${body}`;

  test("takes a body that came with its head, one that comes in parts, and none", async () => {
    for (const [first, then] of [
      [post("abcdef"), ""],
      [post("abc", 6), "def"],
    ] as const) {
      const body = await whileServing(
        (socket) => socket.write(first),
        (req, socket) => {
          const read = readBody(req, 6);
          socket.write(then);
          return read;
        },
      );
      expect(body.toString()).toBe("abcdef");
    }
    const nothing = await whileServing(
      (socket) => socket.write(post("")),
      (req) => readBody(req, 6),
    );
    expect(nothing).toHaveLength(0);
  });

  test("ends when the client has left, whether its body was there whole or in part", async () => {
    for (const request of [post("abcdef"), post("abc", 6)]) {
      const reading = whileServing(
        (socket) => socket.write(request),
        async (req, socket) => {
          socket.destroy();
          await new Promise((resolve) => req.once("close", resolve));
          return await readBody(req, 6);
        },
      );
      await expect(reading).rejects.toEqual(refused(/was cut off/));
    }
  });
});

test("a syntax error names its line and column and nothing of the body", () => {
  expect(() => parse('{\n  "secret": "hunter2",\n  "b": oops\n}')).toThrow(
    expect.objectContaining({ message: "The body is not valid JSON at line 3 column 8" }),
  );
});

test("a megabyte of hostile brackets is judged within half a second", () => {
  const startedMs = clock.monotonicMs();
  for (const text of ["[".repeat(1_000_000), '{"a":'.repeat(200_000), nested(500_000)]) {
    expect(() => parse(text)).toThrow();
  }
  expect(clock.monotonicMs() - startedMs).toBeLessThan(1500);
});

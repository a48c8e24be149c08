import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { ByteBudget } from "#server/platform/byte-budget.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { until } from "#test/until.ts";
import { bodyBounds } from "./body-bounds.ts";
import { parseBytes } from "./json-body.ts";
import { readBody as readBounded } from "./read-body.ts";

const parse = (body: string | Buffer) => parseBytes(Buffer.from(body), bodyBounds.conversation);
const refused = (message: RegExp) =>
  expect.objectContaining({ code: "BAD_REQUEST", message: expect.stringMatching(message) });
const nested = (depth: number, open = "[", close = "]") => open.repeat(depth) + close.repeat(depth);
const keys = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 0])));

test("plain JSON is returned unchanged, and an empty body as an empty object", () => {
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

  test("constructor is an ordinary name, used in data about car races and in schemas of classes", () => {
    const text =
      '{"properties":{"constructor":{"type":"string"}},"required":["constructor"],"constructor":"x"}';
    expect(JSON.stringify(parse(text))).toBe(text);
  });

  test("the same words are harmless as values", () => {
    expect(parse('{"prompt":"what is __proto__ and constructor?"}')).toEqual({
      prompt: "what is __proto__ and constructor?",
    });
  });
});

describe("characters", () => {
  test("U+0000 is refused wherever it is", () => {
    for (const text of ['{"a":"\\u0000"}', '{"\\u0000":1}'])
      expect(() => parse(text)).toThrow(refused(/U\+0000/));
    expect(() => parse('{"a":"\u0000"}')).toThrow(refused(/not valid JSON/));
  });

  test.each(['{"a":"\\ud800"}', '{"a":["x","\\uDC00 y"]}', '{"a":{"\\udbff":1}}', '[["\\udfff\\ud800"]]'])(
    "half of a surrogate pair is refused wherever it is: %s",
    (text) => {
      expect(() => parse(text)).toThrow(refused(/surrogate pair/));
    },
  );

  test("whole pairs are accepted, escaped or not, and so is their notation as text", () => {
    expect(parse('{"a":"\\ud83d\\ude00 😀 \\\\ud800"}')).toEqual({ a: "😀 😀 \\ud800" });
  });

  test("a backslash before the word u0000 is not U+0000", () => {
    expect(parse('{"a":"\\\\u0000"}')).toEqual({ a: "\\u0000" });
  });
});

const readBody = async (req: IncomingMessage, bytesMax: number) =>
  (
    await readBounded(
      req,
      { ...bodyBounds.conversation, bytesMax },
      new ByteBudget(limits.body.heldBytesMax).hold("somebody"),
    )
  ).bytes;

describe("ambiguous or broken JSON is refused with its place", () => {
  test.each([
    ['{"provider":{"data_residency":"eu"},"provider":{}}', "provider: is given twice", "provider"],
    [
      '{"messages":[{"role":"user"},{"role":"a","role":"b"}]}',
      "messages.1.role: is given twice",
      "messages.1.role",
    ],
    ['{"a":1,"\\u0061":2}', "a: is given twice", "a"],
    [
      '{"messages":[{"content":"x\\u0000"}]}',
      "messages.0.content: may not contain the character U+0000",
      "messages.0.content",
    ],
    ['{"a":{"\\u0000":1}}', "a: may not contain the character U+0000", "a"],
    ['["\\ud83d x"]', /^0: contains half of a surrogate pair/, "0"],
    ['"\\ud83d"', /^The body: contains half of a surrogate pair/, null],
  ])("%s", (text, message, param) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        code: "BAD_REQUEST",
        message: typeof message === "string" ? message : expect.stringMatching(message),
        param,
      }),
    );
  });

  test("a name may occur in many objects, and in texts", () => {
    const text = '{"a":{"a":[{"a":1},{"a":2}]},"b":"{\\"a\\":1,\\"a\\":2}"}';
    expect(JSON.stringify(parse(text))).toBe(text);
  });

  test.each([[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98]])(
    "bytes that are not UTF-8: %o",
    (...bytes) => {
      expect(() => parse(Buffer.from([0x22, ...bytes, 0x22]))).toThrow(refused(/not valid UTF-8/));
    },
  );
});

describe("reading", () => {
  /** Passes the request of `send` to `use` and resolves with its result. */
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

  test("is read with its head, in parts, or empty", async () => {
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

  test("is no longer stored if it exceeds its limits, and refused at its end", async () => {
    const zeros = Buffer.from(`[${"0,".repeat(limits.body.elementsMax + 1)}`);
    const budget = new ByteBudget(limits.body.heldBytesMax);
    const reading = whileServing(
      (socket) => socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${zeros.length + 2}\r\n\r\n`),
      async (req, socket) => {
        const read = readBounded(req, bodyBounds.conversation, budget.hold("somebody"));
        expect(budget.held()).toBe(zeros.length + 2);
        socket.write(zeros);
        await until(() => expect(budget.held()).toBe(0));
        socket.write("0]");
        return await read;
      },
    );
    await expect(reading).rejects.toEqual(refused(/may have 100000 elements at most/));
  });

  test("with more bytes than there is room for is refused before they are sent, with the time to retry", async () => {
    const budget = new ByteBudget(100);
    const declared = (length: number) =>
      whileServing(
        (socket) => socket.write(post("", length)),
        (req) => readBounded(req, bodyBounds.conversation, budget.hold("somebody")),
      );
    const refusedWith = (code: string) =>
      expect.objectContaining({ code, headers: { "retry-after": "1", connection: "close" } });
    await expect(declared(101)).rejects.toEqual(refusedWith("SERVICE_UNAVAILABLE"));
    budget.hold("somebody").take(40);
    await expect(declared(20)).rejects.toEqual(refusedWith("RATE_LIMIT_EXCEEDED"));
    expect(budget.held()).toBe(40);
  });

  test("in parts without a length is reserved as it grows, and with the size of its value", async () => {
    const budget = new ByteBudget(1_000);
    const hold = budget.hold("somebody");
    const chunked = (text: string) =>
      whileServing(
        (socket) =>
          socket.write(
            `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
          ),
        (req) => readBounded(req, bodyBounds.conversation, hold),
      );
    await chunked("[1,2]");
    expect(budget.held()).toBe("[1,2]".length + 8 + 64);
    await expect(chunked(`[${"[],".repeat(6)}0]`)).rejects.toEqual(
      expect.objectContaining({ code: "RATE_LIMIT_EXCEEDED" }),
    );
  });

  test("fails if the client disconnects, whether the body was complete or not", async () => {
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

test("a syntax error names its line and column without content of the body", () => {
  expect(() => parse('{\n  "secret": "hunter2",\n  "b": oops\n}')).toThrow(
    expect.objectContaining({ message: "The body is not valid JSON at line 3 column 8" }),
  );
});

test("a megabyte of hostile brackets is refused within half a second", () => {
  const startedMs = clock.monotonicMs();
  for (const text of ["[".repeat(1_000_000), '{"a":'.repeat(200_000), nested(500_000)]) {
    expect(() => parse(text)).toThrow();
  }
  expect(clock.monotonicMs() - startedMs).toBeLessThan(1500);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { generating } from "#server/platform/batches.ts";
import { limits } from "#server/platform/limits.ts";
import type { OutboundResponse } from "#server/platform/outbound.ts";
import { EventReader } from "./events.ts";

/** A response whose body comes in these pieces. */
function responseOf(pieces: readonly Buffer[]): OutboundResponse {
  return {
    status: 200,
    headers: {},
    bytes: async () => Buffer.concat(pieces),
    text: async () => Buffer.concat(pieces).toString(),
    batches: generating(async function* () {
      for (const piece of pieces) yield [piece];
    }),
    release: () => {},
    abort: () => {},
  };
}

/** The batches of events of a response. */
async function* eventsOf(response: OutboundResponse): AsyncGenerator<readonly string[], void, undefined> {
  const reader = new EventReader(response.status);
  for await (const chunks of response.batches()) {
    const { events, exceeded } = reader.read(chunks);
    if (events.length > 0) yield events;
    if (exceeded) throw exceeded;
  }
}

const read = async (pieces: readonly Buffer[]) =>
  (await Array.fromAsync(eventsOf(responseOf(pieces)))).flat();

const stream = Buffer.from(
  ': hello\n\ndata: {"a":"é€😀"}\n\nevent: x\r\ndata: one\r\ndata: two\r\n\r\nid: 7\ndata:tight\n\ndata: [DONE]\n\n',
);
const events = ['{"a":"é€😀"}', "one\ntwo", "tight", "[DONE]"];

test("events come out the same wherever the bytes are split", async () => {
  expect(await read([stream])).toEqual(events);
  for (let at = 0; at <= stream.length; at++) {
    expect(await read([stream.subarray(0, at), stream.subarray(at)])).toEqual(events);
  }
  expect(await read([...stream].map((byte) => Buffer.of(byte)))).toEqual(events);
});

test("pieces that arrive together give one batch, and a line that is too long ends it after the events before it", async () => {
  const together = (pieces: readonly Buffer[]): OutboundResponse => ({
    ...responseOf([]),
    batches: generating(async function* () {
      yield pieces;
    }),
  });
  expect(await Array.fromAsync(eventsOf(together([stream.subarray(0, 40), stream.subarray(40)])))).toEqual([
    events,
  ]);
  const long = Buffer.alloc(limits.upstream.sseLineBytesMax + 1, "x");
  const batches = eventsOf(together([Buffer.from("data: one\n\n"), long, Buffer.from("\n\ndata: two\n\n")]));
  expect((await batches.next()).value).toEqual(["one"]);
  await expect(batches.next()).rejects.toMatchObject({ failure: { outcome: "malformed" } });
});

test("any data comes through in any pieces", async () => {
  const line = fc.string({ unit: "binary", minLength: 1 }).filter((text) => !/[\r\n\ufeff]|^ /.test(text));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 5 }),
      fc.array(fc.nat(50), { maxLength: 20 }),
      async (lines, cuts) => {
        const bytes = Buffer.from(lines.map((data) => `data: ${data}\n\n`).join(""));
        const pieces: Buffer[] = [];
        let at = 0;
        for (const length of cuts) {
          pieces.push(bytes.subarray(at, at + length));
          at += length;
        }
        pieces.push(bytes.subarray(at));
        expect(await read(pieces)).toEqual(lines.map((text) => Buffer.from(text).toString()));
      },
    ),
  );
});

test("an event that was not ended is not given out", async () => {
  expect(await read([Buffer.from("data: complete\n\ndata: half")])).toEqual(["complete"]);
});

test("a line that grows past its limit is refused while it grows", async () => {
  const piece = Buffer.alloc(64 * 1024, "x");
  let sent = 0;
  const endless: OutboundResponse = {
    ...responseOf([]),
    batches: generating(async function* (): AsyncGenerator<readonly Buffer[], void, undefined> {
      yield [Buffer.from("data: ")];
      for (;;) {
        sent += piece.length;
        yield [piece];
      }
    }),
  };
  await expect(Array.fromAsync(eventsOf(endless))).rejects.toMatchObject({
    failure: { outcome: "malformed" },
  });
  expect(sent).toBeLessThanOrEqual(limits.upstream.sseLineBytesMax + 2 * piece.length);
});

import { afterEach, expect, test, vi } from "vitest";
import { generating } from "#server/platform/batches.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { exchangeWith } from "#test/dialects/exchange.ts";
import type { Chunk, Reader } from "./operation.ts";
import { ChunkBatches } from "./read-stream.ts";
import { startStream } from "./stream.ts";

const { waitedMs, eventsMin, pauseMsMax } = limits.upstream.slow;
const exchange = exchangeWith(new Outbound(allowedHosts([])), {});
const chunk = (text: string): Chunk => ({
  text,
  hasContent: text !== "",
  usage: null,
  finishReason: null,
  nativeFinishReason: null,
});

/** An event is its text, and the answer never ends. */
const reader: Reader<Chunk> = {
  answer: () => chunk(""),
  event: (value) => chunk(String(value)),
  finished: () => false,
  end: () => chunk(""),
};

/** The chunks of a provider that sends events of this text, each after `work`. */
function streamOf(text: string, work: () => void, closed: () => void = () => {}): ChunkBatches<Chunk> {
  const stream = generating(async function* (): AsyncGenerator<unknown[], void, undefined> {
    try {
      for (;;) {
        await Promise.resolve();
        work();
        yield [text];
      }
    } finally {
      closed();
    }
  });
  return new ChunkBatches({ upstream: { complete: async () => ({}), stream }, exchange, reader });
}

/** An integer, so that pauses add up exactly. */
let nowMs = 0;
const pass = (ms: number) => {
  nowMs += ms;
  vi.spyOn(clock, "monotonicMs").mockReturnValue(nowMs);
};
afterEach(() => {
  vi.restoreAllMocks();
  nowMs = 0;
});

test("a stream that sends too few events while they are waited for is too slow", async () => {
  pass(0);
  const stream = streamOf("word", () => pass(pauseMsMax));
  const wanted = waitedMs / pauseMsMax;
  expect(wanted).toBeLessThan(eventsMin);
  // The first content takes as long as the provider may take for it.
  for (let at = 0; at < wanted; at++) expect((await stream.next()).done).toBe(false);
  await expect(stream.next()).rejects.toMatchObject({ failure: { outcome: "too_slow" } });
});

test("a stream whose client takes long is not too slow", async () => {
  pass(0);
  const stream = streamOf("word", () => {});
  for (let at = 0; at < 3 * eventsMin; at++) {
    expect((await stream.next()).done).toBe(false);
    pass(pauseMsMax);
  }
  await stream.close();
});

test("a stream that fails before its first content, or has too much without any, is closed", async () => {
  const closed = vi.fn();
  const failing = () => {
    throw new Error("broken");
  };
  await expect(startStream(streamOf("", failing, closed))).rejects.toThrow("broken");
  expect(closed).toHaveBeenCalledTimes(1);
  await expect(startStream(streamOf("", () => {}, closed))).rejects.toMatchObject({
    failure: { outcome: "malformed" },
  });
  expect(closed).toHaveBeenCalledTimes(2);
});

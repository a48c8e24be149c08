import { expect, test, vi } from "vitest";
import type { Frames } from "#server/inference/index.ts";
import { keepingFrames } from "./retries.ts";

async function* stream(ended: boolean): Frames {
  yield "data: a\n\n";
  yield "data: b\n\n";
  return ended;
}

function first() {
  const settled: string[] = [];
  const keep = vi.fn(async ({ body }: { body: string }) => void settled.push(body));
  return {
    settled,
    request: { replay: null, keep, lose: async () => void settled.push("lost"), release: vi.fn() },
  };
}

test("a stream that came to its end is kept for retries as the client got it", async () => {
  const { settled, request } = first();
  const got = await Array.fromAsync(keepingFrames(request, {}, stream(true)));
  expect(settled).toEqual([got.join("")]);
});

test("a stream that stopped because its reader had left is never given to a retry", async () => {
  const { settled, request } = first();
  await Array.fromAsync(keepingFrames(request, {}, stream(false)));
  expect(settled).toEqual(["lost"]);
});

test("nor is one whose reader stops asking, and its source is told", async () => {
  const { settled, request } = first();
  const source = stream(true);
  for await (const _ of keepingFrames(request, {}, source)) break;
  expect(settled).toEqual(["lost"]);
  expect(await source.next()).toEqual({ value: undefined, done: true });
});

import { expect, test, vi } from "vitest";
import type { Frames, FramesEnd } from "#server/inference/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { keeping, keepingFrames } from "./retries.ts";

async function* stream(end: FramesEnd): Frames {
  yield "data: a\n\n";
  yield "data: b\n\n";
  return end;
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
  const got = await Array.fromAsync(keepingFrames(request, {}, stream("ended")));
  expect(settled).toEqual([got.join("")]);
});

test("a stream that stopped because its reader had left is never given to a retry", async () => {
  const { settled, request } = first();
  await Array.fromAsync(keepingFrames(request, {}, stream("left")));
  expect(settled).toEqual(["lost"]);
});

test("a stream that brought an error in place of an answer lets its key be used again", async () => {
  const { settled, request } = first();
  await Array.fromAsync(keepingFrames(request, {}, stream("unanswered")));
  expect(settled).toEqual([]);
  expect(request.release).toHaveBeenCalledTimes(1);
});

test("nor is one whose reader stops asking, and its source is told", async () => {
  const { settled, request } = first();
  const source = stream("ended");
  for await (const _ of keepingFrames(request, {}, source)) break;
  expect(settled).toEqual(["lost"]);
  expect(await source.next()).toEqual({ value: undefined, done: true });
});

test("what a silent database may have done is never done again for a retry; what was refused may be asked again", async () => {
  const silent = first();
  const cause = new Error("Query read timeout");
  const unavailable = new AppError("SERVICE_UNAVAILABLE", "The database does not answer", { cause });
  await expect(keeping(silent.request, 201, () => Promise.reject(unavailable))).rejects.toBe(unavailable);
  expect(silent.settled).toEqual(["lost"]);
  expect(silent.request.release).not.toHaveBeenCalled();

  const refused = first();
  const conflict = new AppError("CONFLICT", "There is one of that name");
  await expect(keeping(refused.request, 201, () => Promise.reject(conflict))).rejects.toBe(conflict);
  expect(refused.settled).toEqual([]);
  expect(refused.request.release).toHaveBeenCalledTimes(1);
});

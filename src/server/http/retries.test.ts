import { expect, test, vi } from "vitest";
import type { Frames, FramesEnd } from "#server/inference/index.ts";
import { AppError, toAppError } from "#server/platform/errors.ts";
import { Unavailable } from "#server/platform/unavailable.ts";
import { keeping, keepingFrames } from "./retries.ts";

async function* stream(end: FramesEnd): Frames {
  yield "data: a\n\n";
  yield "data: b\n\n";
  return end;
}

function first() {
  const recorded: string[] = [];
  const store = vi.fn(async ({ body }: { body: string }) => void recorded.push(body));
  return {
    recorded,
    request: { replay: null, store, lose: async () => void recorded.push("lost"), release: vi.fn() },
  };
}

test("a complete stream is stored for retries as the client got it", async () => {
  const { recorded, request } = first();
  const got = await Array.fromAsync(keepingFrames(request, {}, stream("ended")));
  expect(recorded).toEqual([got.join("")]);
});

test("a stream that stopped because its client disconnected is never repeated", async () => {
  const { recorded, request } = first();
  await Array.fromAsync(keepingFrames(request, {}, stream("left")));
  expect(recorded).toEqual(["lost"]);
});

test("after a stream that contained only an error, the key can be used again", async () => {
  const { recorded, request } = first();
  await Array.fromAsync(keepingFrames(request, {}, stream("unanswered")));
  expect(recorded).toEqual([]);
  expect(request.release).toHaveBeenCalledTimes(1);
});

test("nor is one whose reader stops, and its source is closed", async () => {
  const { recorded, request } = first();
  const source = stream("ended");
  for await (const _ of keepingFrames(request, {}, source)) break;
  expect(recorded).toEqual(["lost"]);
  expect(await source.next()).toEqual({ value: undefined, done: true });
});

test("what the database may have done is not executed again, however the error is wrapped", async () => {
  const { recorded, request } = first();
  const silent = new Unavailable("The database does not answer", { retryAfterMs: 1, mayBeDone: true });
  const reported = toAppError(silent);
  await expect(keeping(request, 201, () => Promise.reject(reported))).rejects.toBe(reported);
  expect(recorded).toEqual(["lost"]);
  expect(request.release).not.toHaveBeenCalled();
});

test.each([
  new AppError("CONFLICT", "There is one of that name"),
  toAppError(new Unavailable("The database took too long", { retryAfterMs: 1 })),
])("what was refused, or certainly not done, can be retried: $message", async (error) => {
  const { recorded, request } = first();
  await expect(keeping(request, 201, () => Promise.reject(error))).rejects.toBe(error);
  expect(recorded).toEqual([]);
  expect(request.release).toHaveBeenCalledTimes(1);
});

import type { Frames } from "../pipeline/frames.ts";

/** Delivers a stream; before its last bytes, what must be durable is stored. */
export async function* storedBefore(frames: Frames, safe: () => Promise<void>): Frames {
  try {
    for (;;) {
      const { value, done } = await frames.next();
      if (done) return value;
      await safe();
      yield value;
    }
  } finally {
    await frames.return("left");
  }
}

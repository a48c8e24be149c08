import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { ReaderSignal } from "./reader-signal.ts";

/** Reads again and again, and counts how often it was woken. */
function readWith(signal: ReaderSignal): { woken: number } {
  const seen = { woken: 0 };
  const read = async (): Promise<void> => {
    await signal.wait();
    seen.woken++;
    return read();
  };
  void read();
  return seen;
}

test("a reader is woken once for all that arrives in a turn, at its end", async () => {
  const signal = new ReaderSignal();
  const seen = readWith(signal);
  signal.wakeAtEndOfTurn();
  signal.wakeAtEndOfTurn();
  await Promise.resolve();
  expect(seen.woken).toBe(0);
  await nextTurn();
  expect(seen.woken).toBe(1);
});

test("a reader that was woken immediately in between is woken again for what arrives later", async () => {
  const signal = new ReaderSignal();
  const seen = readWith(signal);
  signal.wakeAtEndOfTurn();
  signal.wake();
  await Promise.resolve();
  signal.wakeAtEndOfTurn();
  await nextTurn();
  const { woken } = seen;
  expect(woken).toBeGreaterThanOrEqual(2);
  signal.wakeAtEndOfTurn();
  await nextTurn();
  expect(seen.woken).toBe(woken + 1);
});

test("a signal without a reader has no effect on one that comes later", async () => {
  const signal = new ReaderSignal();
  signal.wake();
  signal.wakeAtEndOfTurn();
  const seen = readWith(signal);
  await nextTurn();
  expect(seen.woken).toBe(0);
});

import { getHeapStatistics } from "node:v8";
import { afterEach, expect, test, vi } from "vitest";
import { until } from "#test/until.ts";
import { returnMemory, returnMemoryWhenIdle } from "./return-memory.ts";

vi.mock(import("./limits.ts"), async (original) => {
  const { limits } = await original();
  return { limits: { ...limits, memory: { ...limits.memory, checkEveryMs: 100 } } };
});

afterEach(() => void vi.useRealTimers());

const mib = 2 ** 20;
const heapMib = (): number => getHeapStatistics().total_heap_size / mib;

/** Makes the heap at least 100 MiB larger, and forgets all of it. */
function growHeap(): void {
  const target = heapMib() + 100;
  const rows: number[][] = [];
  while (heapMib() < target) rows.push(Array.from({ length: 10_000 }, (_, at) => at + 0.5));
}

test("memory that nothing uses any more is returned", () => {
  growHeap();
  const before = heapMib();
  returnMemory();
  expect(heapMib()).toBeLessThan(before - 80);
});

test("memory is returned when the heap has grown and the process is idle", async () => {
  const end = returnMemoryWhenIdle();
  growHeap();
  const before = heapMib();
  await until(() => expect(heapMib()).toBeLessThan(before - 80));
  end();
});

test("nothing is returned while the process is busy, or after the end", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const end = returnMemoryWhenIdle();
  growHeap();
  const before = heapMib();
  vi.advanceTimersByTime(1_000);
  expect(heapMib()).toBeGreaterThan(before - 20);
  end();
  expect(vi.getTimerCount()).toBe(0);
});

import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { limits } from "./limits.ts";
import { TimeoutWheel, type Waiting } from "./timeout-wheel.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const look = () => void vi.advanceTimersByTime(limits.upstream.timeCheckMs);

test("each look tells everything that waits, once, and nothing that does not, whoever leaves meanwhile", () => {
  const moves = fc.array(fc.tuple(fc.constantFrom("add", "delete", "look"), fc.nat(9)), { maxLength: 60 });
  fc.assert(
    fc.property(moves, fc.uniqueArray(fc.nat(9)), (steps, leavers) => {
      const watch = new TimeoutWheel();
      const waiting = new Set<number>();
      let told: number[] = [];
      const all = Array.from({ length: 10 }, (_, number): Waiting => {
        const one = {
          wheelIndex: -1,
          checkTime() {
            told.push(number);
            if (leavers.includes(number)) watch.delete(one);
          },
        };
        return one;
      });
      for (const [step, number] of steps) {
        const one = all[number] as Waiting;
        if (step === "add" && !waiting.has(number)) watch.add(one);
        if (step === "add") waiting.add(number);
        if (step === "delete") watch.delete(one);
        if (step === "delete") waiting.delete(number);
        if (step !== "look") continue;
        told = [];
        look();
        expect(told.toSorted()).toEqual([...waiting].toSorted());
        for (const leaver of leavers) waiting.delete(leaver);
      }
    }),
  );
});

test("nothing is looked at any more once nothing waits, and again once something does", () => {
  const watch = new TimeoutWheel();
  const one = { wheelIndex: -1, checkTime: vi.fn() };
  watch.add(one);
  watch.delete(one);
  look();
  expect(vi.getTimerCount()).toBe(0);
  watch.add(one);
  look();
  expect(one.checkTime).toHaveBeenCalledOnce();
});

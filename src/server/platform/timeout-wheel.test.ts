import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { limits } from "./limits.ts";
import { TimeoutWheel, type Waiting } from "./timeout-wheel.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const look = () => void vi.advanceTimersByTime(limits.upstream.timeCheckMs);

test("each check reaches everything that waits, once, and nothing else, even if some leave meanwhile", () => {
  const moves = fc.array(fc.tuple(fc.constantFrom("add", "delete", "look"), fc.nat(9)), { maxLength: 60 });
  fc.assert(
    fc.property(moves, fc.uniqueArray(fc.nat(9)), (steps, leavers) => {
      const wheel = new TimeoutWheel();
      const waiting = new Set<number>();
      let checked: number[] = [];
      const all = Array.from({ length: 10 }, (_, number): Waiting => {
        const one = {
          wheelIndex: -1,
          checkTime() {
            checked.push(number);
            if (leavers.includes(number)) wheel.delete(one);
          },
        };
        return one;
      });
      for (const [step, number] of steps) {
        const one = all[number] as Waiting;
        if (step === "add" && !waiting.has(number)) wheel.add(one);
        if (step === "add") waiting.add(number);
        if (step === "delete") wheel.delete(one);
        if (step === "delete") waiting.delete(number);
        if (step !== "look") continue;
        checked = [];
        look();
        expect(checked.toSorted()).toEqual([...waiting].toSorted());
        for (const leaver of leavers) waiting.delete(leaver);
      }
    }),
  );
});

test("nothing is looked at any more once nothing waits, and again once something does", () => {
  const wheel = new TimeoutWheel();
  const one = { wheelIndex: -1, checkTime: vi.fn() };
  wheel.add(one);
  wheel.delete(one);
  look();
  expect(vi.getTimerCount()).toBe(0);
  wheel.add(one);
  look();
  expect(one.checkTime).toHaveBeenCalledOnce();
});

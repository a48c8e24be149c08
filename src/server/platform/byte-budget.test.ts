import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteBudget, type ByteHold } from "./byte-budget.ts";

test("who is alone may hold half, two hold a third each, and the next still finds room", () => {
  const budget = new ByteBudget(120);
  const takes = (name: string, bytes: number) => budget.hold(name).take(bytes);
  expect(takes("one", 61)).not.toBeNull();
  expect(takes("one", 60)).toBeNull();
  expect(takes("one", 1)).toBe("share");
  expect(takes("two", 31)).toBe("all");
  expect(takes("two", 30)).toBeNull();
  expect(takes("two", 1)).toBe("share");
  expect(takes("three", 15)).toBeNull();
  expect(takes("four", 200)).toBe("all");
});

test("in any sequence nothing is lost, and nobody has more than is left for all others", () => {
  const bytesMax = 1_000;
  const step = fc.record({ name: fc.constantFrom("a", "b", "c", "d"), bytes: fc.nat(600), which: fc.nat() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const budget = new ByteBudget(bytesMax);
      const open: { name: string; hold: ByteHold; bytes: number }[] = [];
      const heldBy = (name?: string) =>
        open.filter((one) => !name || one.name === name).reduce((sum, { bytes }) => sum + bytes, 0);
      for (const { name, bytes, which } of steps) {
        if (which % 3 === 0 && open.length > 0) {
          const [ended] = open.splice(which % open.length, 1);
          ended?.hold.release();
          ended?.hold.release();
          expect(ended?.hold.take(1)).toBeNull();
        } else {
          const hold = budget.hold(name);
          const refusal = hold.take(bytes);
          const left = bytesMax - heldBy() - bytes;
          expect(refusal === null).toBe(left >= 0 && heldBy(name) + bytes <= left);
          open.push({ name, hold, bytes: refusal === null ? bytes : 0 });
        }
        expect(budget.held()).toBe(heldBy());
      }
      for (const { hold } of open) hold.release();
      expect(budget.held()).toBe(0);
    }),
    { numRuns: 500 },
  );
});

test("subjects that ended are forgotten, those under way are not", () => {
  const budget = new ByteBudget(1_000_000);
  const under = budget.hold("first");
  for (let at = 0; at < 20_000; at++) {
    const hold = budget.hold(`subject ${at}`);
    hold.take(1);
    hold.release();
  }
  expect(under.take(500_000)).toBeNull();
  expect(budget.hold("first").take(1)).toBe("share");
});

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { generating } from "./batches.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("what a generator yields is taken in its order, one batch at a time, with its failure at the end", async () => {
  const batches = fc.array(fc.array(fc.integer(), { minLength: 1, maxLength: 3 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(batches, fc.boolean(), fc.boolean(), async (wanted, isSlow, fails) => {
      let asked = 0;
      const source = generating(async function* (): AsyncGenerator<number[], void, undefined> {
        for (const batch of wanted) {
          asked++;
          if (isSlow) await turn();
          yield batch;
        }
        if (fails) throw new Error("broken");
      })();
      const got: (readonly number[])[] = [];
      for (;;) {
        let taken: ReturnType<typeof source.take>;
        try {
          taken = source.take();
        } catch (error) {
          expect(fails && error).toMatchObject({ message: "broken" });
          break;
        }
        if (taken === "ended") {
          expect(fails).toBe(false);
          expect(source.take()).toBe("ended");
          break;
        }
        if (taken === "waiting") await source.arrival();
        else got.push(taken);
        expect(asked - got.length).toBeLessThanOrEqual(1);
      }
      expect(got).toEqual(wanted);
    }),
  );
});

test("a source is an async iterator that is closed when its reader stops", async () => {
  const closed = vi.fn();
  const open = generating(async function* (): AsyncGenerator<number[], void, undefined> {
    try {
      yield [1];
      yield [2];
    } finally {
      closed();
    }
  });
  expect(await Array.fromAsync(open())).toEqual([[1], [2]]);
  expect(closed).toHaveBeenCalledTimes(1);
  for await (const batch of open()) {
    expect(batch).toEqual([1]);
    break;
  }
  expect(closed).toHaveBeenCalledTimes(2);
});

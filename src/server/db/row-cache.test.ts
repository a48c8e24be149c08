import { expect, test } from "vitest";
import { createRowCache } from "./row-cache.ts";

/** A table of texts, and which of its rows were read. */
function table() {
  const rows = new Map<string, { readonly stamp: number; readonly text: string }>();
  const reads: string[][] = [];
  const cache = createRowCache<string>();
  const load = () =>
    cache(
      [...rows].map(([id, { stamp }]) => ({ id, stamp })),
      async (ids) => {
        reads.push(ids);
        return ids.flatMap((id) => {
          const row = rows.get(id);
          return row ? [[id, row.text] as const] : [];
        });
      },
    );
  return { rows, reads, load };
}

test("only rows that are new or changed are read, and deleted ones are forgotten", async () => {
  const { rows, reads, load } = table();
  rows.set("a", { stamp: 1, text: "one" }).set("b", { stamp: 1, text: "two" });
  expect(await load()).toEqual(new Map(Object.entries({ a: "one", b: "two" })));
  rows.set("b", { stamp: 2, text: "changed" }).set("c", { stamp: 1, text: "three" });
  expect(await load()).toEqual(new Map(Object.entries({ a: "one", b: "changed", c: "three" })));
  rows.delete("a");
  expect(await load()).toEqual(new Map(Object.entries({ b: "changed", c: "three" })));
  rows.set("a", { stamp: 1, text: "again" });
  expect((await load()).get("a")).toBe("again");
  expect(reads).toEqual([["a", "b"], ["b", "c"], ["a"]]);
});

test("a load that failed is repeated completely", async () => {
  const cache = createRowCache<string>();
  const heads = [{ id: "a", stamp: 1 }];
  await expect(cache(heads, () => Promise.reject(new Error("no database")))).rejects.toThrow("no database");
  expect(await cache(heads, async () => [["a", "one"]])).toEqual(new Map([["a", "one"]]));
});

test("many rows are read with several queries", async () => {
  const { rows, reads, load } = table();
  for (let at = 0; at < 1_001; at++) rows.set(`${at}`, { stamp: 1, text: "row" });
  expect((await load()).size).toBe(1_001);
  expect(reads.map((ids) => ids.length)).toEqual([500, 500, 1]);
});

import { expect, test } from "vitest";
import { z } from "zod";
import { list } from "./list.ts";

const Item = z.object({ name: z.string().max(3) });
const Items = list(Item).min(1).max(1_000, "may hold 1,000 items at most");

test("what fits comes through as zod's own arrays give it", () => {
  const items = [{ name: "a" }, { name: "b", more: 1 }];
  expect(Items.parse(items)).toEqual(z.array(Item).parse(items));
  expect(Items.nullish().parse(null)).toBeNull();
  expect(z.toJSONSchema(Items)).toEqual(z.toJSONSchema(z.array(Item).min(1).max(1_000)));
});

test.each([[[]], [{}], ["text"], [[{ name: "a" }, { name: 1 }, {}, 3]]])(
  "%j gives zod's message",
  (value) => {
    expect(Items.safeParse(value).error?.issues).toEqual(
      z.array(Item).min(1).max(1_000).safeParse(value).error?.issues,
    );
  },
);

test("one that is too long is refused before any of its elements is looked at", () => {
  let looked = 0;
  const counting = list(z.custom(() => ++looked > 0)).max(2);
  expect(counting.safeParse([1, 2, 3]).error?.issues).toMatchObject([{ code: "too_big", maximum: 2 }]);
  expect(looked).toBe(0);
});

test("after twenty mistakes nothing more is looked at, however deep they are", () => {
  let looked = 0;
  const wrong = z.custom(() => ++looked < 0);
  const nested = list(list(wrong).max(100)).max(100);
  const value = Array.from({ length: 100 }, () => Array(100).fill(0));
  expect(nested.safeParse(value).error?.issues).toHaveLength(20);
  expect(looked).toBe(20);
});

import { expect, test } from "vitest";
import { queryOf } from "./query.ts";

test("a name that ends in [] may be repeated and is a list, even with one value", () => {
  expect(queryOf("a%5B%5D=1&b=2&a[]=3")).toEqual({ a: ["1", "3"], b: "2" });
  expect(queryOf("a[]=1")).toEqual({ a: ["1"] });
});

test.each(["a=1&a=2", "a[]=1&a=2", "a=1&a[]=2"])("%s has a repeated parameter", (query) => {
  expect(() => queryOf(query)).toThrow(expect.objectContaining({ code: "BAD_REQUEST", param: "a" }));
});

test("no name reaches a prototype", () => {
  const values = queryOf("__proto__[]=1&constructor=2");
  expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
  expect(Object.keys(values)).toEqual(["__proto__", "constructor"]);
});

test("U+0000 is refused, naming the parameter, because no database can store it", () => {
  expect(() => queryOf("a=1&b=x%00y")).toThrow(expect.objectContaining({ code: "BAD_REQUEST", param: "b" }));
});

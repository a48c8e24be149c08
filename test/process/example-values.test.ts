import { expect, test } from "vitest";
import { exampleMaker } from "./example-values.ts";

const nowMs = Date.parse("2027-03-01T12:00:00.000Z");
const example = exampleMaker(nowMs);

test("IDs are numbered, each with the same number everywhere", () => {
  const [one, other] = ["01a22067-3356-7688-bbb6-a31a7c5f5c46", "01a22067-3964-7ccd-85c2-9f096bed8384"];
  expect(example({ id: one, parent: other, text: `gen-${one}` })).toEqual({
    id: "0190a000-0000-7000-8000-000000000001",
    parent: "0190a000-0000-7000-8000-000000000002",
    text: "gen-0190a000-0000-7000-8000-000000000001",
  });
});

test("times of the run are moved, with their distance, and others stay", () => {
  expect(example(["2027-03-01T12:00:05.200Z", "2027-03-08T12:00:00.000Z"])).toEqual([
    "2026-11-02T09:30:05.000Z",
    "2026-11-09T09:30:00.000Z",
  ]);
  expect(example(["2026-01-05T00:00:00.000Z", nowMs / 1000])).toEqual([
    "2026-01-05T00:00:00.000Z",
    Date.parse("2026-11-02T09:30:00.000Z") / 1000,
  ]);
});

test("secrets are replaced with as many characters, addresses of the run with that of an example", () => {
  expect(example(`ptl_${"aB3".repeat(9)}`)).toBe(`ptl_${"x".repeat(27)}`);
  expect(example("http://localhost:4711/accept#t")).toBe("https://portolan.example.eu/accept#t");
});

test("lists and texts are shortened", () => {
  expect(example([1, 2, 3])).toEqual([1, 2]);
  expect(example("word ".repeat(100))).toBe(`${"word ".repeat(80)}…`);
  expect(example("A".repeat(1001))).toBe("A".repeat(400));
  expect(example("A".repeat(1000))).toBe("A".repeat(1000));
});

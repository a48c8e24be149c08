import { expect, test } from "vitest";
import { changedFields } from "./changed-fields.ts";

test("what differs is shown with both sides, what stayed is left out", () => {
  expect(
    changedFields({ name: "A", limit: 1, models: ["x"] }, { name: "B", limit: 1, models: ["x"] }),
  ).toEqual([{ field: "name", before: "A", after: "B" }]);
});

test("something made or deleted shows every field on the side it has", () => {
  expect(changedFields(null, { limit: null, name: "A" })).toEqual([
    { field: "limit", before: null, after: "null" },
    { field: "name", before: null, after: "A" },
  ]);
  expect(changedFields({ name: "A" }, null)).toEqual([{ field: "name", before: "A", after: null }]);
});

import { expect, test } from "vitest";
import { findIn, sectionsOf } from "./document.ts";

const sections = sectionsOf({
  info: { title: "t", version: "1" },
  paths: {
    "/keys": {
      get: { summary: "List API keys", tags: ["Keys"] },
      post: { summary: "Create", tags: ["Keys"] },
    },
    "/models": { get: { summary: "List models", tags: ["Models"] } },
  },
});
const found = (typed: string) =>
  findIn(sections, typed).flatMap(({ entries }) => entries.map(({ id }) => id));

test("operations are found by words, path, method and tag, all of them together", () => {
  expect(found("")).toHaveLength(3);
  expect(found("list")).toEqual(["get-keys", "get-models"]);
  expect(found("POST keys")).toEqual(["post-keys"]);
  expect(found("models get")).toEqual(["get-models"]);
  expect(found("nothing such")).toEqual([]);
});

import { describe, expect, test } from "vitest";
import { sectionsOf } from "./document.ts";
import { limitsOf, typeText, unfold } from "./schema.ts";

describe("a schema in one line", () => {
  test.each([
    [{ type: "string", format: "uuid" }, "string (uuid)"],
    [{ anyOf: [{ $ref: "#/components/schemas/Preferences" }, { type: "null" }] }, "Preferences or null"],
    [{ type: "array", items: { type: "string" } }, "array of string"],
    [{ enum: ["price", "latency"] }, '"price" | "latency"'],
    [{ const: "list" }, '"list"'],
    [{ type: ["string", "null"] }, "string or null"],
    [{}, "any"],
  ])("%j reads %s", (schema, text) => {
    expect(typeText(schema)).toBe(text);
  });

  test("limits are shown, except the range of safe integers", () => {
    expect(limitsOf({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })).toEqual(["≥ 1"]);
  });
});

describe("the fields below a schema", () => {
  const node = { properties: { next: { $ref: "#/components/schemas/Node" } } };

  test("are found behind references, items and choices", () => {
    const schema = {
      anyOf: [{ type: "array", items: { $ref: "#/components/schemas/Node" } }, { type: "null" }],
    };
    expect(unfold(schema, { Node: node })).toEqual([node]);
  });

  test("of a recursive schema are unfolded one step at a time", () => {
    expect(unfold(node.properties.next, { Node: node })).toEqual([node]);
  });

  test("of a name that leads nowhere are none", () => {
    expect(unfold({ $ref: "#/components/schemas/Gone" }, {})).toEqual([]);
  });
});

test("operations stand under their first tag, in the order of the document's tags", () => {
  const paths = {
    "/b": { get: { tags: ["B"], operationId: "b-get" }, post: { tags: ["A"] } },
    "/c": { get: {} },
  };
  const sections = sectionsOf({ info: { title: "", version: "" }, tags: [{ name: "A" }], paths });
  expect(
    sections.map(({ tag, entries }) => [tag, entries.map(({ method, path }) => `${method} ${path}`)]),
  ).toEqual([
    ["A", ["POST /b"]],
    ["B", ["GET /b"]],
    ["Other", ["GET /c"]],
  ]);
});

import { expect, test } from "vitest";
import { openApiDocument } from "#server/http/openapi.ts";

type Json = Record<string, unknown>;
const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

interface Operation {
  readonly requestBody?: { readonly content: Record<string, { readonly schema: unknown }> };
  readonly parameters?: readonly { readonly name: string; readonly schema: unknown }[];
}

const document = JSON.parse(openApiDocument("1.0.0")) as {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Json };
};

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
);

const saysItsLength = ["maxLength", "enum", "const", "pattern", "format"];

/** The paths of texts, lists and free objects whose greatest length a reader of the document does not learn. */
function silentIn(schema: unknown, path: string, seen = new Set<unknown>()): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one) => silentIn(one, path, seen));
  if (!isJson(schema) || seen.has(schema)) return [];
  seen.add(schema);
  if (typeof schema.$ref === "string") {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return silentIn(document.components.schemas[name], path, seen);
  }
  const types = [schema.type].flat();
  const silent: string[] = [];
  if (types.includes("string") && !saysItsLength.some((word) => word in schema)) silent.push(`${path}: text`);
  if (types.includes("array") && !("maxItems" in schema)) silent.push(`${path}: list`);
  if (isJson(schema.additionalProperties) && !("properties" in schema) && !("maxProperties" in schema))
    silent.push(`${path}: object`);
  for (const part of ["anyOf", "oneOf", "allOf", "items", "additionalProperties"])
    silent.push(...silentIn(schema[part], path, seen));
  for (const [name, property] of Object.entries(isJson(schema.properties) ? schema.properties : {}))
    silent.push(...silentIn(property, `${path}.${name}`, seen));
  return silent;
}

test.each(operations)(
  "the document limits the length of everything %s accepts",
  (name, { requestBody, parameters = [] }) => {
    const body = requestBody?.content["application/json"]?.schema;
    expect(silentIn(body, name)).toEqual([]);
    for (const parameter of parameters) expect(silentIn(parameter.schema, parameter.name)).toEqual([]);
  },
);

test("requests are found in the document", () => {
  expect(operations.filter(([, { requestBody }]) => requestBody).length).toBeGreaterThan(25);
  const open = { type: "object", properties: { a: { type: "array", items: { type: "string" } } } };
  expect(silentIn(open, "x")).toEqual(["x.a: list", "x.a: text"]);
});

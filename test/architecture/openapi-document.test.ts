import { describe, expect, test } from "vitest";
import { apis, operationRow } from "#contract/inference-operations.ts";
import { openApiDocument } from "#server/http/openapi.ts";
import { tags } from "#server/http/openapi-tags.ts";
import { operations as inferenceOperations } from "#server/inference/index.ts";

type Content = Record<string, { readonly example?: unknown }>;
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly { name: string; description?: string; schema?: object }[];
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Record<
    string,
    { readonly description: string; readonly headers?: object; readonly content?: Content }
  >;
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}

const text = openApiDocument("0.0.0");
const document: Document = JSON.parse(text);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
);

test("every operation names the required permission, and public ones say that they are public", () => {
  const open = operations.filter(({ security }) => security.length === 0).map(({ name }) => name);
  expect(operations.filter(({ security }) => !Array.isArray(security))).toEqual([]);
  expect(open).toContain("get /models");
  expect(open).not.toContain("get /keys");
});

test("every operation is in one described group, and those most clients begin with come first", () => {
  const known = tags.map(({ name }) => name);
  expect(operations.filter((one) => one.tags.length !== 1 || !known.includes(one.tags[0] ?? ""))).toEqual([]);
  expect(known.filter((name) => !operations.some((one) => one.tags.includes(name)))).toEqual([]);
  expect(Object.keys(document.paths).slice(0, 2)).toEqual(["/chat/completions", "/responses"]);
  expect(Object.keys(document.paths["/chat/completions"] ?? {})).toEqual(["post", "get"]);
  expect(Object.keys(document.paths["/keys"] ?? {})).toEqual(["get", "post"]);
});

test("every answer is described, with the header that names its request", () => {
  const silent = operations.flatMap(({ name, responses }) =>
    Object.entries(responses)
      .filter(([, { description, headers }]) => !description || !headers || !("X-Request-Id" in headers))
      .map(([status]) => `${name} ${status}`),
  );
  expect(silent).toEqual([]);
});

test("every schema has a name that somebody gave it, and every reference leads to one", () => {
  const names = Object.keys(document.components.schemas);
  expect(names.filter((name) => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([]);
  const references = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
  expect(references.filter((name) => !names.includes(name ?? ""))).toEqual([]);
});

/** Every property below a part of the document that has neither a description nor a schema of its own name. */
function undescribed(part: unknown, path: string): string[] {
  if (Array.isArray(part)) return part.flatMap((one) => undescribed(one, path));
  if (typeof part !== "object" || part === null) return [];
  const {
    properties,
    example: _,
    ...others
  } = part as {
    properties?: Record<string, object>;
    example?: unknown;
  };
  const own = Object.entries(properties ?? {}).flatMap(([name, schema]) => [
    ...("description" in schema || "$ref" in schema ? [] : [`${path}.${name}`]),
    ...undescribed(schema, `${path}.${name}`),
  ]);
  return [
    ...own,
    ...Object.entries(others).flatMap(([name, inner]) => undescribed(inner, `${path}.${name}`)),
  ];
}

test("page sizes are numbers, and switches booleans", () => {
  const typeOf = (path: string, wanted: string) =>
    document.paths[path]?.get?.parameters?.find(({ name }) => name === wanted)?.schema;
  expect(typeOf("/keys", "limit")).toMatchObject({ type: "integer", minimum: 1, maximum: 100 });
  expect(typeOf("/keys", "include_disabled")).toMatchObject({ type: "boolean" });
});

test("every operation, parameter and property is described", () => {
  const parameters = operations.flatMap(({ name, parameters: given = [] }) =>
    given.filter(({ description }) => !description).map((parameter) => `${name} ?${parameter.name}`),
  );
  expect(operations.filter(({ description }) => !description).map(({ name }) => name)).toEqual([]);
  expect(parameters).toEqual([]);
  expect(undescribed(document.components.schemas, "#")).toEqual([]);
  expect(operations.flatMap(({ name, ...operation }) => undescribed(operation, name))).toEqual([]);
});

describe.each(apis)("the reference of %s", (api) => {
  const { request, answer, example } = inferenceOperations[api];
  const { path } = operationRow(api);

  test("has examples that its schemas accept", () => {
    expect(request.parse(example.request)).toEqual(example.request);
    expect(answer.parse(example.answer)).toEqual(example.answer);
  });

  test("shows them", () => {
    const { requestBody, responses } = document.paths[path]?.post ?? {};
    expect(requestBody?.content["application/json"]?.example).toEqual(example.request);
    expect(responses?.["200"]?.content?.["application/json"]?.example).toEqual(example.answer);
  });
});

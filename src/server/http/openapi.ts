import { forEachOpenApiProcedure, generateOpenApiDocument, type OpenApiProcedureRecord } from "trpc-openapi";
import { z } from "zod";
import { ErrorEnvelope } from "#contract/errors.ts";
import { apis, inferenceOperations } from "#contract/inference-operations.ts";
import { MessagesError } from "#contract/message-errors.ts";
import { appRouter } from "#server/api/root.ts";
import type { Meta } from "#server/api/trpc.ts";
import { digestKeyHeader } from "#server/inference/index.ts";
import { limits } from "#server/platform/limits.ts";
import { describeAnswers, type Operation } from "./openapi-answers.ts";
import { simplified } from "./openapi-schemas.ts";
import { tags } from "./openapi-tags.ts";
import { responseExamples } from "./response-examples.ts";

type Json = Record<string, unknown>;

function addExample(operation: Operation, example: Json | undefined): void {
  const content = operation.requestBody?.content?.["application/json"];
  if (content && example) content.example = example;
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A retry with the same key and body within 24 hours gets the first answer and changes nothing. Another body " +
    "answers 422. While the first request is in progress, the answer is 409.",
  schema: { type: "string", maxLength: 255 },
};

const { digestKeyCharsMin: minLength, digestKeyCharsMax: maxLength } = limits.http;
const digestKey = {
  name: digestKeyHeader,
  in: "header",
  required: false,
  description:
    "Random characters of your choice. The receipt of the request then has a digest of the request and one of the answer " +
    "(HMAC-SHA256 with this key, which is not stored).",
  schema: { type: "string", minLength, maxLength },
};

function addHeader(operation: Operation, header: typeof idempotencyKey | typeof digestKey): void {
  operation.parameters = [...(operation.parameters ?? []), header];
}

/** The generator leaves a query's description in its schema. */
function describeParameters(operation: Operation): void {
  for (const parameter of operation.parameters ?? []) {
    const { description } = parameter.schema as { description?: string };
    if (description) parameter.description ??= description;
  }
}

/**
 * A list in a query is a name with brackets, repeated for each value; an object is a name with each key in brackets.
 * Other names may occur only once.
 */
function nameLists(operation: Operation): void {
  for (const parameter of operation.parameters ?? []) {
    const { type, anyOf = [] } = parameter.schema as { type?: string; anyOf?: { type?: string }[] };
    if (parameter.in === "query" && [type, ...anyOf.map((option) => option.type)].includes("array"))
      parameter.name = `${parameter.name}[]`;
    if (parameter.in === "query" && type === "object")
      Object.assign(parameter, { style: "deepObject", explode: true });
  }
}

const firstPaths: readonly string[] = apis.map((api) => inferenceOperations[api].path);

const methods = ["get", "post", "put", "patch", "delete"];

/** Reading before writing, except where a request is sent to a model. */
function inOrderOfMethods(path: string, operations: Record<string, Operation>): Record<string, Operation> {
  const names = firstPaths.includes(path) ? ["post", ...methods] : methods;
  return Object.fromEntries(
    Object.entries(operations).sort(([one], [other]) => names.indexOf(one) - names.indexOf(other)),
  );
}

/** The inference paths first, then the others in the order of their tags. */
function inOrderOfTags(paths: Record<string, Record<string, Operation>>): Json {
  const places = new Map(tags.map(({ name }, index) => [name, index + firstPaths.length]));
  const placeOf = ([path, operations]: [string, Record<string, Operation>]): number => {
    const first = firstPaths.indexOf(path);
    const [tag = ""] = Object.values(operations)[0]?.tags ?? [];
    return first === -1 ? (places.get(tag) ?? Number.MAX_SAFE_INTEGER) : first;
  };
  const sorted = Object.entries(paths).sort((one, other) => placeOf(one) - placeOf(other));
  return Object.fromEntries(sorted.map(([path, operations]) => [path, inOrderOfMethods(path, operations)]));
}

/** The OpenAPI 3.1 document of all REST operations, as text. */
export function openApiDocument(version: string): string {
  const document = generateOpenApiDocument(appRouter, {
    title: "Portolan",
    description:
      "Routes LLM inference for organisations in Europe: which provider may see a request, and why.",
    version,
    openApiVersion: "3.1.0",
    baseUrl: "/api/v1",
    securitySchemes: {
      Authorization: {
        type: "http",
        scheme: "bearer",
        description: "An API key: `Authorization: Bearer <key>`",
      },
    },
  });
  const examples = responseExamples();
  const paths = document.paths as Record<string, Record<string, Operation>>;
  forEachOpenApiProcedure<Meta>(
    appRouter._def.procedures as unknown as OpenApiProcedureRecord,
    ({ path, meta }) => {
      const operation = paths[meta.openapi.path]?.[meta.openapi.method.toLowerCase()];
      if (!operation) return;
      operation.operationId = meta.operationId ?? path.replaceAll(".", "-");
      operation.security ??= [];
      describeParameters(operation);
      nameLists(operation);
      addExample(operation, meta.example);
      describeAnswers(operation, meta, examples[operation.operationId]);
      if (meta.idempotent) addHeader(operation, idempotencyKey);
      const { method, path: address } = meta.openapi;
      if (method === "POST" && firstPaths.includes(address)) addHeader(operation, digestKey);
    },
  );
  const components = (document.components ?? {}) as { schemas?: Json };
  // A schema with an id is a reference to its own definition.
  const own = { ...z.toJSONSchema(ErrorEnvelope).$defs, ...z.toJSONSchema(MessagesError).$defs };
  components.schemas = { ...components.schemas, Error: own.Error, MessagesError: own.MessagesError };
  for (const name of Object.keys(components.schemas))
    if (name.startsWith("error.")) delete components.schemas[name];
  const license = { name: "Apache-2.0", identifier: "Apache-2.0" };
  return JSON.stringify(
    simplified({
      ...document,
      info: { ...document.info, license },
      tags,
      paths: inOrderOfTags(paths),
      components,
    }),
  );
}

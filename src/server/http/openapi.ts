import { forEachOpenApiProcedure, generateOpenApiDocument, type OpenApiProcedureRecord } from "trpc-openapi";
import { z } from "zod";
import { ErrorEnvelope, errorTable } from "#contract/errors.ts";
import { appRouter } from "#server/api/root.ts";
import type { Meta } from "#server/api/trpc.ts";

type Json = Record<string, unknown>;

const codesOfStatus = (status: number): string[] =>
  Object.entries(errorTable).flatMap(([code, row]) => (row.status === status ? [code] : []));

const envelope = { $ref: "#/components/schemas/Error" };

/** The generator describes tRPC's own error body; every error response of ours is the one envelope. */
function describeErrors(operation: Json): void {
  const responses = operation.responses as Record<string, Json>;
  for (const [status, response] of Object.entries(responses)) {
    if (Number(status) < 400) continue;
    response.description = codesOfStatus(Number(status)).join(", ");
    response.content = { "application/json": { schema: envelope } };
  }
}

function addExample(operation: Json, example: Json | undefined): void {
  const body = operation.requestBody as { content?: Record<string, Json> } | undefined;
  const content = body?.content?.["application/json"];
  if (content && example) content.example = example;
}

function moveSuccess(operation: Json, status: number): void {
  const responses = operation.responses as Json;
  if (status === 200 || !responses["200"]) return;
  operation.responses = { [status]: responses["200"], ...responses };
  delete (operation.responses as Json)["200"];
}

function addIdempotencyKey(operation: Json): void {
  const parameter = {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "A retry with the same key and body within 24 hours gets the first answer and changes nothing. Another body " +
      "answers 422, and 409 while the first request is under way.",
    schema: { type: "string", maxLength: 255 },
  };
  operation.parameters = [...((operation.parameters as Json[] | undefined) ?? []), parameter];
}

/** A list in a query is a name with brackets that comes once for each value: other names come once only. */
function nameLists(operation: Json): void {
  for (const parameter of (operation.parameters as Json[] | undefined) ?? []) {
    const { type, anyOf = [] } = parameter.schema as { type?: string; anyOf?: { type?: string }[] };
    if (parameter.in === "query" && [type, ...anyOf.map((option) => option.type)].includes("array"))
      parameter.name = `${parameter.name}[]`;
  }
}

function describeRedirect(operation: Json): void {
  const { 200: _success, ...others } = operation.responses as Json;
  const headers = { Location: { description: "Where to go", schema: { type: "string", format: "uri" } } };
  operation.responses = { 302: { description: "Redirect, without a body", headers }, ...others };
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
  const paths = document.paths as Record<string, Record<string, Json>>;
  forEachOpenApiProcedure<Meta>(
    appRouter._def.procedures as unknown as OpenApiProcedureRecord,
    ({ path, meta }) => {
      const operation = paths[meta.openapi.path]?.[meta.openapi.method.toLowerCase()];
      if (!operation) return;
      operation.operationId = path.replaceAll(".", "-");
      describeErrors(operation);
      nameLists(operation);
      addExample(operation, meta.example);
      moveSuccess(operation, meta.status ?? 200);
      if (meta.redirect) describeRedirect(operation);
      if (meta.idempotent) addIdempotencyKey(operation);
    },
  );
  const components = (document.components ?? {}) as { schemas?: Json };
  // A schema with an id comes as a reference to its own definition.
  const { $defs } = z.toJSONSchema(ErrorEnvelope);
  components.schemas = { ...components.schemas, Error: $defs?.Error };
  for (const name of Object.keys(components.schemas))
    if (name.startsWith("error.")) delete components.schemas[name];
  return JSON.stringify({ ...document, components });
}

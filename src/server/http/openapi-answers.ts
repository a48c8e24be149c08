import { errorTable } from "#contract/errors.ts";
import type { Meta } from "#server/api/trpc.ts";
import { isAnthropicPath } from "./error-shapes.ts";

type Json = Record<string, unknown>;

interface Answer {
  description?: string;
  content?: Record<string, Json>;
  headers?: Json;
}

/** The members of an operation that are completed here. */
export interface Operation {
  operationId?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: Json[];
  requestBody?: { content?: Record<string, Json> };
  responses?: Record<string, Answer>;
}

const header = (description: string, type: string) => ({ description, schema: { type } });

/** The headers of answers, by status. */
const headers = {
  all: { "X-Request-Id": header("Names this request in logs and support questions.", "string") },
  inference: {
    "X-Generation-Id": header("Id of the generation, for `GET /generation` and the request log.", "string"),
  },
  counted: {
    "X-RateLimit-Limit": header("Maximum number of requests in the current minute.", "integer"),
    "X-RateLimit-Remaining": header("Remaining requests in the current minute.", "integer"),
    "X-RateLimit-Reset": header("When the next minute begins, in Unix seconds.", "integer"),
  },
  wait: { "Retry-After": header("Seconds to wait before the request is sent again.", "integer") },
};

const codesOfStatus = (status: number): string[] =>
  Object.entries(errorTable).flatMap(([code, row]) => (row.status === status ? [code] : []));

const waitStatuses = new Set([429, 503]);

/** The generator describes tRPC's own error body, but every error response has our envelope, or Anthropic's. */
const errorAnswer = (status: number, path: string): Answer => ({
  description: codesOfStatus(status).join(", "),
  content: {
    "application/json": {
      schema: { $ref: `#/components/schemas/${isAnthropicPath(path) ? "MessagesError" : "Error"}` },
    },
  },
  headers: { ...headers.all, ...(waitStatuses.has(status) && headers.wait) },
});

const eventStream = {
  schema: {
    type: "string",
    description: "Server-sent events (`data: {…}`), sent when the request has `stream: true`.",
  },
};

function successAnswer(given: Answer | undefined, meta: Meta, example: unknown): Answer {
  const { openapi, permission, redirect, streams } = meta;
  if (redirect) {
    const target = {
      Location: { description: "The redirect's target", schema: { type: "string", format: "uri" } },
    };
    return { description: "Redirect, without a body", headers: { ...headers.all, ...target } };
  }
  const makesGeneration =
    permission === "inference:use" && openapi?.method === "POST" && !openapi.path.includes("{");
  const json = given?.content?.["application/json"];
  if (json && example !== undefined) json.example = example;
  return {
    ...given,
    description: "Success",
    headers: {
      ...headers.all,
      ...(openapi?.protect !== false && headers.counted),
      ...(makesGeneration && headers.inference),
    },
    ...(given?.content && streams && { content: { ...given.content, "text/event-stream": eventStream } }),
  };
}

/**
 * Completes the answers of an operation: status, headers, streams, the error envelope, and an example of a successful
 * answer unless the operation declares one.
 */
export function describeAnswers(operation: Operation, meta: Meta, example: unknown): void {
  const { 200: success, ...errors } = operation.responses ?? {};
  const path = meta.openapi?.path ?? "";
  const status = meta.redirect ? 302 : (meta.status ?? 200);
  operation.responses = {
    [status]: successAnswer(success, meta, meta.exampleAnswer ?? example),
    ...Object.fromEntries(Object.keys(errors).map((code) => [code, errorAnswer(Number(code), path)])),
  };
}

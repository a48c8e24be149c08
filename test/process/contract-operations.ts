import { afterEach, expect } from "vitest";
import { z } from "zod";
import type { ApiDocument, Operation } from "./contract-document.ts";
import { makersFor, shipped } from "./contract-makers.ts";
import { preparedFor } from "./contract-prepared.ts";
import type { TestServer } from "./server.ts";

/** An operation of the OpenAPI document, with a path to a resource that does not exist. */
export interface ContractOperation {
  readonly declared: string;
  readonly path: string;
  readonly method: string;
  readonly title: string;
  readonly isProtected: boolean;
  readonly takesBody: boolean;
  readonly example: unknown;
  readonly operation: Operation;
}

const operationsOf = ({ paths }: ApiDocument): ContractOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      declared: path,
      path: path
        .replace("{hash}", "A".repeat(12))
        .replace("{interval}", "monthly")
        .replace("{version}", "1")
        .replace("{position}", "999999")
        .replaceAll(/\{\w+\}/g, "0190a000-0000-7000-8000-000000000000"),
      method: method.toUpperCase(),
      title: `${method.toUpperCase()} ${path}`,
      isProtected: (operation.security?.length ?? 0) > 0,
      takesBody: operation.requestBody !== undefined,
      example: operation.requestBody?.content["application/json"]?.example,
      operation,
    })),
  );

/** The OpenAPI document of a server, and requests to its operations that succeed. */
export async function openContract(server: TestServer) {
  const { send, post } = server;
  const document = (await (await send("GET", "/openapi.json", { key: null })).json()) as ApiDocument;
  const makers = makersFor(server);
  /** What tests created, removed after each: names may be unique, and rules apply to the requests of other tests. */
  const created = new Set<string>();
  afterEach(async () => {
    for (const path of created) await send("DELETE", path);
    created.clear();
  });

  const exampleOf = (method: string, path: string): unknown =>
    document.paths[path]?.[method]?.requestBody?.content["application/json"]?.example;
  const prepared = preparedFor(server, exampleOf);

  /** The declared schema of an answer, with references to definitions inside it. */
  function schemaOf(operation: Operation, status: string): z.ZodType {
    const declared = operation.responses[status]?.content?.["application/json"]?.schema;
    expect(declared).toBeDefined();
    const own = { ...declared, $defs: document.components.schemas };
    return z.fromJSONSchema(JSON.parse(JSON.stringify(own).replaceAll("#/components/schemas/", "#/$defs/")));
  }

  /** The name of the identifier in paths below a collection: `id`, or `hash` for keys. */
  const nameOf = (collection: string): string =>
    Object.keys(document.paths)
      .find((path) => path.startsWith(`${collection}/{`))
      ?.match(/\{(\w+)\}/)?.[1] ?? "id";

  async function create(collection: string, parentId = ""): Promise<string> {
    const maker = makers[collection];
    if (maker) return maker(parentId);
    const response = await post(collection, exampleOf("post", collection));
    const { data } = (await response.json()) as { data: Record<string, string> };
    const id = data[nameOf(collection)] ?? "";
    created.add(`${collection}/${id}`);
    return id;
  }

  /** The path with resources that exist in place of each `{id}`, made from the examples of their collections. */
  async function existing(path: string): Promise<string> {
    const known = shipped[path];
    if (known !== undefined) return known;
    const [first = "", ...rest] = path.split(/(?<=\/\{\w+\})/);
    let [declared, made, id] = ["", "", ""];
    for (const part of [first, ...rest]) {
      const collection = part.replace(/\/\{\w+\}$/, "");
      if (collection === part) return made + part;
      id = await create(declared + collection, id);
      declared += part;
      made += `${collection}/${id}`;
    }
    return made;
  }

  /** Requests an operation so that it succeeds: on a resource that exists, with its example. */
  async function succeed({ method, declared, title, example }: ContractOperation): Promise<Response> {
    const { path, query = "", body } = (await prepared[title]?.()) ?? {};
    const complete = example === undefined ? undefined : JSON.stringify({ ...(example as object), ...body });
    return send(method, `${path ?? (await existing(declared))}${query}`, { body: complete });
  }

  /** Remembers for removal what an operation created. */
  function note(path: string, answer: unknown): void {
    const name = nameOf(path);
    const id = z.object({ data: z.object({ [name]: z.string() }) }).safeParse(answer).data?.data[name];
    if (id !== undefined && document.paths[`${path}/{${name}}`]?.delete) created.add(`${path}/${id}`);
  }
  return { document, operations: operationsOf(document), schemaOf, succeed, note };
}

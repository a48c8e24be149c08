import { screen, within } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";
import type { ApiDocument } from "#app/docs/reference/_components/document.ts";
import { ReferenceScreen } from "#app/docs/reference/_components/reference-screen.tsx";
import { renderConsole } from "./render.tsx";

const key = { type: "object", properties: { name: { type: "string" } } };
/** A small OpenAPI document. */
export const document: ApiDocument = {
  info: { title: "Portolan API", version: "1.2.3", description: "One API for all providers." },
  servers: [{ url: "/api/v1" }],
  security: [{ bearer: [] }],
  tags: [{ name: "Keys", description: "Keys of an organisation." }],
  paths: {
    "/keys": {
      get: {
        operationId: "listKeys",
        summary: "List API keys",
        tags: ["Keys"],
        parameters: [
          {
            name: "offset",
            in: "query",
            description: "Number of keys to skip.",
            schema: { type: "integer" },
          },
          { name: "state", in: "query", required: true, schema: { enum: ["usable", "revoked"] } },
          { name: "org_id", in: "query", required: true, example: "a b", schema: { type: "string" } },
        ],
      },
      post: {
        operationId: "createKey",
        summary: "Create an API key",
        description: "The answer contains the `key` once.",
        tags: ["Keys"],
        requestBody: {
          content: {
            "application/json": {
              example: { name: "It's mine" },
              schema: {
                type: "object",
                required: ["name"],
                properties: {
                  name: { type: "string", maxLength: 100, description: "Name of the key." },
                  limit: { type: ["number", "null"], minimum: 0, default: null },
                  parent: { $ref: "#/components/schemas/Key" },
                },
              },
            },
          },
        },
        responses: {
          201: {
            description: "The new key.",
            content: {
              "application/json": {
                example: { name: "It's mine" },
                schema: { $ref: "#/components/schemas/Key" },
              },
            },
          },
          409: { description: "The name is taken." },
        },
      },
    },
    "/models": { get: { operationId: "listModels", summary: "List models", tags: ["Models"], security: [] } },
  },
  components: { schemas: { Key: key } },
};

/** The browser's observer, to which everything is near the viewport, or nothing. */
export const observerOf = (isIntersecting: boolean) =>
  class {
    readonly #report: (entries: readonly { isIntersecting: boolean }[]) => void;
    constructor(report: (entries: readonly { isIntersecting: boolean }[]) => void) {
      this.#report = report;
    }
    observe() {
      this.#report([{ isIntersecting }]);
    }
    disconnect() {}
    unobserve() {}
  };

/** Everything is near the viewport, and no test leaves its answers or its address to the next one. */
export function withReference(): void {
  beforeEach(() => vi.stubGlobal("IntersectionObserver", observerOf(true)));
  afterEach(() => {
    vi.unstubAllGlobals();
    window.location.hash = "";
  });
}

/** What the server answers, and the paths that are asked for. */
export const answering = (respond: () => Response | Promise<Response>) => {
  const paths: string[] = [];
  vi.stubGlobal("fetch", async (path: string) => {
    paths.push(path);
    return await respond();
  });
  return paths;
};
/** Draws the reference of a document. */
export function showReference(shown: ApiDocument = document) {
  const paths = answering(() => new Response(JSON.stringify(shown)));
  return { ...renderConsole(<ReferenceScreen />), paths };
}
/** One operation, by its heading. */
export async function operation(name: string) {
  const heading = await screen.findByRole("heading", { level: 3, name });
  const article = heading.closest("article");
  if (!article) throw new Error(`${name} has no article`);
  return { article, ...within(article) };
}

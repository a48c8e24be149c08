import type { Api } from "./types.ts";

/** What an endpoint may speak to serve an operation: chat carries requests for text that say nothing beyond it. */
export const carriers = {
  chat: ["chat"],
  completions: ["completions", "chat"],
  responses: ["responses", "chat"],
  embeddings: ["embeddings"],
  rerank: ["rerank"],
} satisfies Record<Api, readonly Api[]>;

export const isCarried = (operation: Api, apis: ReadonlySet<Api>): boolean =>
  carriers[operation].some((api) => apis.has(api));

import { jsonKind, renamed } from "#server/inference/providers/json-kind.ts";
import { bearer, listsModels } from "#server/inference/providers/kind.ts";
import { isJson } from "#server/inference/wires/shared/json.ts";

/** Harbour's own API. */
export const harbour = jsonKind(
  "harbour",
  "Harbour",
  {
    chat: { path: "/talk" },
    rerank: {
      path: "/sort",
      toProvider: (body) =>
        renamed(body, { model: "model", query: "question", documents: "texts", top_n: "best" }),
      fromProvider: (value) => (isJson(value) ? { results: value.sorted, usage: value.usage } : null),
    },
  },
  listsModels(bearer),
);

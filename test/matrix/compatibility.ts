import type { Api } from "#contract/inference-operations.ts";
import { markdownTable } from "../../scripts/markdown-table.ts";
import { type Outcome, unknownField } from "./outcome.ts";
import { type Cell, tested } from "./run.ts";

const words: Readonly<Record<Outcome, string>> = {
  sent: "sent",
  translated: "translated",
  clamped: "clamped",
  dropped: "dropped",
  refused: "error",
  lost: "**no effect**",
  "refused without a name": "error",
  rejected: "**rejected**",
};
const headings: Readonly<Record<Api, string>> = {
  chat: "Chat completions",
  responses: "Responses",
  messages: "Messages",
  completions: "Text completions",
  embeddings: "Embeddings",
  rerank: "Rerank",
};

/** Providers with the same column share it, so that tables stay narrow. */
function columnsOf(cells: readonly Cell[], fields: readonly string[]) {
  const columns = new Map<string, { titles: string[]; values: string[] }>();
  for (const target of new Set(cells.map((cell) => cell.target))) {
    const values = fields.map((field) => {
      const found = cells.filter((cell) => cell.target === target && cell.field === field);
      return [...new Set(found.map(({ outcome }) => words[outcome]))].join(" / ");
    });
    const column = columns.get(values.join()) ?? { titles: [], values };
    column.titles.push(target);
    columns.set(values.join(), column);
  }
  return [...columns.values()];
}

function tableOf(operation: Api, cells: readonly Cell[]): string {
  const own = cells.filter((cell) => cell.operation === operation);
  const fields = [...new Set(own.map(({ field }) => field))].filter((field) => field !== unknownField);
  const columns = columnsOf(own, fields);
  const head = ["Field", ...columns.map(({ titles }) => titles.join(", "))];
  const rows = fields.map((field, at) => [`\`${field}\``, ...columns.map(({ values }) => values[at] ?? "")]);
  return `## ${headings[operation]}\n\n${markdownTable([head, ...rows])}`;
}

/** Path in the repository → content. */
export const compatibilityDocument = (cells: readonly Cell[]): Record<string, string> => ({
  "docs/compatibility.md": `${[
    "<!-- Generated from the mock providers in test/providers by npm run generate. Do not edit. -->",
    "# What reaches which provider",
    "The tables show what happens to each field of a request, by provider and model family. They are measured: a request with the field is sent through Portolan to a mock of the provider, which follows the provider's public reference. Fields that only Portolan uses, such as `provider` and `session_id`, are left out. Fields that are not in the schema are sent to providers that ignore what they do not know, and dropped elsewhere.",
    markdownTable([
      ["Word", "Meaning"],
      ["sent", "The provider gets the value, in its own form."],
      [
        "translated",
        "The provider gets it under another name or in another form, or Portolan does what it asks for.",
      ],
      [
        "clamped",
        "The provider gets the nearest value that it takes. The header `x-portolan-clamped-params` names the field.",
      ],
      [
        "dropped",
        "The provider does not take it, and the answer does not depend on it. The header `x-portolan-dropped-params` names the field, or the field of chat that stands for it.",
      ],
      [
        "error",
        "The answer would not be what was asked for, so endpoints of this kind are excluded. If none is left, the client gets an error that names the field.",
      ],
    ]),
    ...(Object.keys(tested) as Api[]).map((operation) => tableOf(operation, cells)),
  ].join("\n\n")}\n`,
});

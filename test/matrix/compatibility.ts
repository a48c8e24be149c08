import type { Api } from "#contract/inference-operations.ts";
import { factNames } from "#test/facts/fact-case.ts";
import { kinds as factCases } from "#test/facts/kinds.ts";
import { markdownTable } from "../../scripts/markdown-table.ts";
import { type Outcome, unknownField } from "./outcome.ts";
import { type Cell, tested } from "./run.ts";
import { shippedColumns } from "./shipped-columns.ts";

/** How an outcome is called in the document. */
const words: Readonly<Record<Outcome, string>> = {
  sent: "sent",
  translated: "translated",
  clamped: "clamped",
  dropped: "dropped",
  refused: "error",
  lost: "**Lost**",
  "refused without a name": "error",
  rejected: "**Rejected**",
};
const columns = ["sent", "translated", "clamped", "dropped", "error"] as const;
const headings: Readonly<Record<Api, string>> = {
  chat: "Chat completions",
  responses: "Responses",
  messages: "Messages",
  completions: "Text completions",
  embeddings: "Embeddings",
  rerank: "Rerank",
};

/** A field as code, and beside it which of its values are meant. */
function nameOf(field: string): string {
  const [path = "", about] = field.replace(unknownField, "* (not in the schema)").split(/ (?=\()/);
  return about === undefined ? `\`${path}\`` : `\`${path}\` ${about}`;
}

/** The providers by what they do with a field; the column of most of them says so in one word. */
function rowOf(field: string, cells: readonly Cell[]): string[] {
  const own = cells.filter((cell) => cell.field === field);
  const targets = [...new Set(own.map(({ target }) => target))];
  const groups = new Map<string, string[]>();
  for (const target of targets) {
    const found = own.filter((cell) => cell.target === target);
    const outcomes = [...new Set(found.map(({ outcome }) => words[outcome]))];
    for (const outcome of outcomes) {
      const streamed = found.find((cell) => words[cell.outcome] === outcome)?.streamed;
      const title = outcomes.length === 1 ? target : `${target} (${streamed ? "streamed" : "complete"})`;
      groups.set(outcome, [...(groups.get(outcome) ?? []), title]);
    }
  }
  const largest = [...groups.values()].reduce(
    (most, group) => (group.length > most.length ? group : most),
    [],
  );
  const said = (column: string) => {
    const group = groups.get(column) ?? [];
    if (group !== largest || group.length < 3) return group.join(", ");
    return groups.size === 1 ? "all" : "all others";
  };
  return [nameOf(field), ...columns.map(said)];
}

function tableOf(cells: readonly Cell[], isNested: boolean): string[] {
  const fields = [...new Set(cells.filter((cell) => cell.isNested === isNested).map(({ field }) => field))];
  const rows = fields
    .filter((field) => field !== unknownField)
    .map((field) =>
      rowOf(
        field,
        cells.filter((cell) => cell.isNested === isNested),
      ),
    );
  // A column that nothing is in would only take room.
  const used = [0, ...columns.flatMap((_, at) => (rows.some((row) => row[at + 1]) ? [at + 1] : []))];
  const table = [["Field", ...columns], ...rows].map((row) => used.map((at) => row[at] ?? ""));
  return rows.length > 0 ? [markdownTable(table)] : [];
}

function sectionOf(operation: Api, cells: readonly Cell[]): string[] {
  const own = cells.filter((cell) => cell.operation === operation);
  const inside = tableOf(own, true);
  const targets = [...new Set(own.map(({ target }) => target))].join(", ");
  return [
    `## ${headings[operation]}`,
    `Measured with ${targets}.`,
    ...tableOf(own, false),
    ...(inside.length > 0
      ? [`### Inside the fields of ${headings[operation].toLowerCase()}`, ...inside]
      : []),
  ];
}

const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

/** What providers say beside the content, from the answers that tests send. */
const answerSection = (): readonly string[] => [
  "## What comes back",
  "Beside text, reasoning, tool calls and images, answers have facts that only some providers give. They reach the client under the provider's own name, complete and streamed. The table has those that tests send (`test/facts`); what a provider adds to its answer, choice or message passes in the same place without a change here. IDs of the provider's own records do not pass.",
  markdownTable([
    ["Provider", "In the chat completion", "In its choice", "In its message or delta"],
    ...factCases.flatMap((one) => {
      const { answer, choice, message } = factNames(one);
      const cells = [quoted(answer), quoted(choice), quoted(message)];
      return cells.some((cell) => cell !== "") ? [[one.title, ...cells]] : [];
    }),
  ]),
  "`/responses` and `/messages` over chat have all of these as members of the response or the message; in a stream they are in `response.completed`, or in `delta` of `message_delta`. Exceptions: `annotations` of a response belong to its text, `service_tier` of a message is in `usage`, and a stop sequence that the provider names is `stop_sequence` of a message.",
  "Tokens read from a cache, written to it (for an hour apart), used for reasoning and for audio, and predicted ones are counted for each provider that reports them. Bedrock does not report reasoning tokens.",
];

/** Path in the repository → content. */
export const compatibilityDocument = (cells: readonly Cell[]): Record<string, string> => ({
  "docs/compatibility.md": `${[
    "<!-- Generated from the mock providers in test/providers by npm run generate. Do not edit. -->",
    "# What reaches which provider",
    "The tables show what happens to each field of a request, by provider and model family. They are measured: a request with the field is sent through Portolan to a mock of the provider, which follows the provider's public reference. Fields that only Portolan uses, such as `provider` and `session_id`, are left out. Fields that are not in the schema are sent to providers that ignore what they do not know, and dropped elsewhere.",
    "The second table of an operation is about what is inside of fields, such as parts of messages and members of tools. Positions in lists are left out of the names. IDs and states of items that clients send back have no effect, and are not reported.",
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
    "## Which column applies to a shipped provider",
    "Several providers share a column, because Portolan treats them by one dialect. `itself`: the mock follows this provider's reference. `the same dialect`: it follows another provider's, and Portolan sends the same. `the nearest dialect`: no list of what the provider takes was found, so there is no mock of it; a similar server is named, and [Model support](model-support.md) has Portolan's rules. `none`: nothing is measured.",
    markdownTable([
      ["Provider", "Dialect", "Columns", "Measured with"],
      ...shippedColumns.map(({ slug, dialect, titles, by }) => [
        `\`${slug}\``,
        `\`${dialect}\``,
        titles.join(", "),
        by,
      ]),
    ]),
    ...(Object.keys(tested) as Api[]).flatMap((operation) => sectionOf(operation, cells)),
    ...answerSection(),
  ].join("\n\n")}\n`,
});

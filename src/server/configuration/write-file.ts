import { Document, type Pair, type Scalar, visit, type YAMLMap, type YAMLSeq } from "yaml";
import { configurationVersion } from "#contract/configuration.ts";
import type { Values } from "#contract/configuration-form.ts";
import { secretReferencePattern } from "#contract/secret-reference.ts";

export interface WrittenSection {
  readonly kind: string;
  /** In the order of the file. */
  readonly resources: readonly Values[];
  readonly comment: string;
  /** Fields in the order of the schema; others follow. */
  readonly fields: readonly string[];
}

const isPair = (node: unknown): node is Pair<Scalar<string>, unknown> =>
  typeof node === "object" && node !== null && "key" in node;

function inOrder(values: Values, fields: readonly string[]): Values {
  const names = [...fields.filter((field) => field in values), ...Object.keys(values).sort()];
  return Object.fromEntries([...new Set(names)].map((name) => [name, sorted(values[name])]));
}

/** Inner objects have their fields in alphabetical order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return inOrder(value as Values, []);
}

const heading = ` Configuration of Portolan. \`npm run cli -- config plan -f FILE\` shows what it would change.
 A section that is removed is left as it is. Resources refer to each other by name.
 Secrets are references: env:NAME is a variable of the environment of the command, file:PATH a file beside this one.`;

/** Writes the canonical file: the same state always gives the same text. */
export function writeFile(sections: readonly WrittenSection[]): string {
  const content = Object.fromEntries(
    sections.map(({ kind, resources, fields }) => [kind, resources.map((values) => inOrder(values, fields))]),
  );
  const document = new Document(
    { version: configurationVersion, ...content },
    { aliasDuplicateObjects: false },
  );
  document.commentBefore = heading;
  const root = document.contents as unknown as YAMLMap<Scalar<string>, YAMLSeq>;
  for (const { kind, comment } of sections) {
    const pair = root.items.find((item) => isPair(item) && item.key.value === kind);
    if (!pair) continue;
    pair.key.spaceBefore = true;
    pair.key.commentBefore = ` ${comment}`;
  }
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === "string" && secretReferencePattern.test(node.value))
        node.comment = " a reference";
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

import type { Token, Tokens } from "marked";
import type { Document } from "./documents.ts";
import { targetOf } from "./links.ts";
import { plainText } from "./plain-text.ts";

interface Entry {
  readonly title: string;
  readonly href: string;
  readonly description: string;
}

/** One group of the table of contents. */
export interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

const isTable = (token: Token): token is Tokens.Table => token.type === "table";

function entryOf(file: string, [document, contents]: readonly Tokens.TableCell[]): Entry[] {
  const link = document?.tokens.find((token): token is Tokens.Link => token.type === "link");
  const target = link && targetOf(file, link.href);
  if (!link || target?.kind !== "page") return [];
  return [
    { title: plainText(link.tokens), href: target.href, description: plainText(contents?.tokens ?? []) },
  ];
}

/** The table of contents that the index (`docs/README.md`) has: a heading and a table of links for each group. */
export function contentsOf({ file, tokens }: Document): Group[] {
  const groups: Group[] = [];
  let title = "";
  for (const token of tokens) {
    if (token.type === "heading") title = plainText((token as Tokens.Heading).tokens);
    else if (isTable(token)) groups.push({ title, entries: token.rows.flatMap((row) => entryOf(file, row)) });
  }
  return groups;
}

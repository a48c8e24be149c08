import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { lexer, type Token, type Tokens } from "marked";
import { documentPathOf, documentsOfRoot } from "#contract/document-path.ts";
import { anchorsOf } from "./anchors.ts";
import { plainText } from "./plain-text.ts";

export interface Heading {
  readonly depth: number;
  readonly text: string;
  /** ID of its element. */
  readonly anchor: string;
}

/** A Markdown file of the project. */
export interface Document {
  /** Relative to the project: `docs/guides/tags.md`. */
  readonly file: string;
  /** Of its page: `/docs/guides/tags`. */
  readonly path: string;
  readonly title: string;
  /** What follows the title. */
  readonly tokens: readonly Token[];
  /** Headings below the title, in their order. */
  readonly headings: readonly Heading[];
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === "heading";

/** Reads a document from its text. */
export function parseDocument(file: string, path: string, text: string): Document {
  const all = lexer(text);
  const first = all.findIndex((token) => isHeading(token) && token.depth === 1);
  const tokens = all.slice(first + 1);
  const headings = tokens.filter(isHeading);
  const anchors = anchorsOf(headings.map(({ tokens: inner }) => plainText(inner)));
  const title = all[first];
  return {
    file,
    path,
    title: title && isHeading(title) ? plainText(title.tokens) : file,
    tokens,
    headings: headings.map((heading, index) => ({
      depth: heading.depth,
      text: plainText(heading.tokens),
      anchor: anchors[index] ?? "",
    })),
  };
}

/** All documents below `project`, by the path of their page. */
export async function readDocuments(project: string): Promise<ReadonlyMap<string, Document>> {
  const names = await readdir(join(/* turbopackIgnore: true */ project, "docs"), { recursive: true });
  const files = [...names.map((name) => `docs/${name.replaceAll("\\", "/")}`), ...documentsOfRoot];
  const documents = files.map(async (file) => {
    const path = documentPathOf(file);
    if (path === null) return [];
    return [
      parseDocument(file, path, await readFile(join(/* turbopackIgnore: true */ project, file), "utf8")),
    ];
  });
  return new Map((await Promise.all(documents)).flat().map((document) => [document.path, document]));
}

let known: Promise<ReadonlyMap<string, Document>> | undefined;

/** The documents of this installation. In development they are read again, so that a change is shown at once. */
export function documentsOfInstallation(): Promise<ReadonlyMap<string, Document>> {
  const project = process.env.PROJECT_DIRECTORY ?? process.cwd();
  if (process.env.NODE_ENV !== "production") return readDocuments(project);
  known ??= readDocuments(project);
  return known;
}

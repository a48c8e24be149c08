import type { Token, Tokens } from "marked";
import { beforeAll, describe, expect, test } from "vitest";
import { drawnKinds } from "../_components/markdown.tsx";
import { contentsOf } from "./contents.ts";
import { type Document, parseDocument, readDocuments } from "./documents.ts";
import { targetOf } from "./links.ts";

let documents: ReadonlyMap<string, Document> = new Map();
beforeAll(async () => {
  documents = await readDocuments(process.cwd());
});

/** A token and all tokens in it. */
function within(token: Token): Token[] {
  const table = token.type === "table" ? (token as Tokens.Table) : null;
  const cells = table ? [table.header, ...table.rows].flat() : [];
  const items = token.type === "list" ? (token as Tokens.List).items : [];
  const inner = [
    ...("tokens" in token ? (token.tokens ?? []) : []),
    ...[...cells, ...items].flatMap(({ tokens }) => tokens),
  ];
  return [token, ...inner.flatMap(within)];
}
const tokensOf = ({ tokens }: Document) => tokens.flatMap(within);

describe("the documents of the project", () => {
  test("have a title each, and only kinds of tokens that are drawn", () => {
    expect(documents.size).toBeGreaterThan(50);
    for (const document of documents.values()) {
      expect(document.title).not.toBe(document.file);
      for (const { type, raw } of tokensOf(document))
        expect(drawnKinds, `${document.file}: ${raw}`).toContain(type);
    }
  });

  test("link only to pages and headings that exist, or to other sites", () => {
    const broken = [...documents.values()].flatMap((document) =>
      tokensOf(document).flatMap((token) => {
        if (token.type !== "link") return [];
        const target = targetOf(document.file, (token as Tokens.Link).href);
        if (target.kind !== "page") return [];
        const [path, anchor] = target.href.split("#");
        const linked = path === "" ? document : documents.get(path ?? "");
        const isThere = linked && (!anchor || linked.headings.some((heading) => heading.anchor === anchor));
        return isThere ? [] : [`${document.file}: ${(token as Tokens.Link).href}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  test("are in the table of contents, except decisions, which have their own", () => {
    const index = documents.get("/docs");
    const listed = contentsOf(index as Document).flatMap(({ entries }) => entries.map(({ href }) => href));
    const paths = [...documents.keys()].filter((path) => path !== "/docs" && !/^\/docs\/adr\//.test(path));
    expect(paths.filter((path) => !listed.includes(path))).toEqual([]);
  });

  test("begin with guides, grouped by what a reader wants to do", () => {
    const [first, ...others] = contentsOf(documents.get("/docs") as Document);
    expect(first?.title).toBe("Start");
    expect(first?.entries[0]).toEqual({
      title: "First request",
      href: "/docs/guides/first-request",
      description: expect.stringMatching(/^start the server/),
    });
    expect(others.length).toBeGreaterThan(4);
  });
});

test("headings of a document have distinct IDs, made as GitHub makes them", () => {
  const { title, headings } = parseDocument(
    "docs/x.md",
    "/docs/x",
    "# It's `x` & y\n\n## Again\n\n### The body's \"model\"\n\n## Again\n",
  );
  expect(title).toBe("It's x & y");
  expect(headings).toEqual([
    { depth: 2, text: "Again", anchor: "again" },
    { depth: 3, text: 'The body\'s "model"', anchor: "the-bodys-model" },
    { depth: 2, text: "Again", anchor: "again-1" },
  ]);
});

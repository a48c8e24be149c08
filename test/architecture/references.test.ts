import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { commentsOf, documents, repositoryFiles, sourceFiles } from "./source-files.ts";

interface Text {
  readonly path: string;
  readonly text: string;
}

const files = repositoryFiles();
const folders = new Set(files.flatMap((path) => parentsOf(path)));
const endings = new Set(
  files.flatMap((path) => path.split("/").map((_, at, parts) => parts.slice(at).join("/"))),
);

function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === "." ? [] : [parent, ...parentsOf(parent)];
}

/** Names that stand for any file, and folders that are made and not committed. */
const examples = new Set([
  "x.ts",
  "x.test.ts",
  "test/name",
  "connect.mjs",
  "src/generated/prisma",
  "e2e/screenshots",
]);

const exists = (name: string): boolean => endings.has(name) || folders.has(name) || examples.has(name);

/** Names of files: with an ending of source or documents, or a path that begins in a folder of the repository. */
const fileName =
  /(?<![\w./@<>*{}~$-])(?:[\w.-]+\/)*[\w.-]*\w\.(?:md|tsx?|mjs|cjs|prisma)\b(?![\w/*<{-])|(?<![\w./@<>*{}~$-])(?:src|test|e2e|docs|scripts|bench|prisma)\/[\w./()-]*\w(?![\w/*<{[-])/g;

/** Numbers of a list that the repository does not have: (F12), (R43, R45), design D2b. */
const bareCode =
  /\((?!S3\b)[A-Z]\d{1,3}[a-z]?(?:,? (?:and )?[A-Z]\d{1,3}[a-z]?)*\)|\b(?:design|issue|fault) [A-Z]\d{1,3}[a-z]?\b/g;

const missingFiles = (text: string): string[] =>
  [...text.matchAll(fileName)].flatMap(([name]) => (exists(normalize(name)) ? [] : [name]));
const bareCodes = (text: string): string[] => [...text.matchAll(bareCode)].map(([code]) => code);

const inBackticks = (text: string): string =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code).join("\n");

/** The anchors of a document's headings, as GitHub and GitLab name them. */
const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );

/** Links between documents whose file or heading does not exist. */
function deadLinks({ path, text }: Text, all: readonly Text[]): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [name = "", anchor] = target.split("#");
      const file = name ? normalize(join(dirname(path), name)) : path;
      const document = file === path ? text : all.find((one) => one.path === file)?.text;
      if (anchor !== undefined && document !== undefined) return !anchorsOf(document).has(anchor);
      return !files.includes(file) && !folders.has(file);
    });
}

const code = ["src", "test", "e2e", "bench", "scripts"]
  .flatMap(sourceFiles)
  .filter(({ path }) => !path.startsWith("test/architecture/references"));
const offenders = (texts: readonly Text[], find: (text: Text) => string[]) =>
  texts.flatMap((text) => find(text).map((found) => `${text.path}: ${found}`));

describe("what is referred to is in the repository", () => {
  test("files that comments name", () => {
    expect(offenders(code, ({ text }) => missingFiles(commentsOf(text)))).toEqual([]);
  });

  test("files that documents name", () => {
    expect(offenders(documents(), ({ text }) => missingFiles(inBackticks(text)))).toEqual([]);
  });

  test("files and headings that links in documents lead to", () => {
    const all = documents();
    expect(offenders(all, (text) => deadLinks(text, all))).toEqual([]);
  });

  test("no comment, string or document cites the number of a list", () => {
    expect(offenders([...code, ...documents()], ({ text }) => bareCodes(text))).toEqual([]);
  });

  test("missing files, dead links and numbers are seen, and other words are not", () => {
    expect(missingFiles("as interface.md says; see docs/none and src/server/none.ts")).toEqual([
      "interface.md",
      "docs/none",
      "src/server/none.ts",
    ]);
    expect(
      missingFiles("CONTRIBUTING.md, src/server/main.ts, main.ts, docs/adr, https://a.eu/b.md, *.test.ts"),
    ).toEqual([]);
    const linking = "# A `b`: c\n[a](none.md#x) [b](../README.md) [c](https://a.eu) [d](#a-b-c) [e](b.md#f)";
    expect(deadLinks({ path: "docs/a.md", text: linking }, [{ path: "docs/b.md", text: "# G" }])).toEqual([
      "none.md#x",
      "b.md#f",
    ]);
    expect(bareCodes("stale (F12), refused (R43, R45), design D2b")).toHaveLength(3);
    expect(bareCodes("S3 (S3), HTTP/1.1, (1), (UTC)")).toEqual([]);
  });
});

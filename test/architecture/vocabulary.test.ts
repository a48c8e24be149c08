import { describe, expect, test } from "vitest";
import { commentsOf, documents, sourceFiles } from "./source-files.ts";
import { plainFolders, proseTerms, type RetiredTerm, retiredTerms, retiredTexts } from "./vocabulary.ts";

// The changelog names what was; these files name what must not be.
const texts = [...["src", "test", "e2e", "bench", "scripts"].flatMap(sourceFiles), ...documents()].filter(
  ({ path }) => path !== "CHANGELOG.md" && !path.startsWith("test/architecture/vocabulary"),
);

const isAllowed = ({ allowed = [] }: RetiredTerm, path: string) =>
  allowed.some(([where]) => where.test(path));
const usesOf = (pattern: RegExp, text: string) => text.match(new RegExp(pattern, "g")) ?? [];

test.each(retiredTerms.map((term) => ({ term, title: `${term.pattern}`, use: term.use })))(
  "$title is not used any more, but $use",
  ({ term }) => {
    const uses = texts
      .filter(({ path }) => !isAllowed(term, path))
      .flatMap(({ path, text }) =>
        usesOf(term.pattern, `${path}\n${text}`).map((word) => `${path}: ${word}`),
      );
    expect(uses).toEqual([]);
  },
);

test("no text that had to be read twice is used any more", () => {
  const found = texts.flatMap(({ path, text }) =>
    retiredTexts.filter((one) => text.includes(one)).map((one) => `${path}: ${one}`),
  );
  expect(found).toEqual([]);
});

const titles =
  /\b(?:test|describe|it)(?:\.\w+)*\((?:[^"'`\n]*\)\()?\s*["`]([^"`\n]*)|^\s*\]\)\(\s*["`]([^"`\n]*)/gm;
const proseOf = (text: string) =>
  [commentsOf(text), ...[...text.matchAll(titles)].map(([, title, row]) => title ?? row ?? "")].join("\n");

test.each(proseTerms.map((term) => ({ term, title: `${term.pattern}`, use: term.use })))(
  "titles and comments do not use $title, but $use",
  ({ term }) => {
    const uses = texts
      .filter(({ path }) => plainFolders.test(path))
      .flatMap(({ path, text }) => usesOf(term.pattern, proseOf(text)).map((word) => `${path}: ${word}`));
    expect(uses).toEqual([]);
  },
);

describe("the check itself", () => {
  const seen = (text: string) =>
    retiredTerms.filter(({ pattern }) => usesOf(pattern, text).length > 0).length;

  test.each([
    "readonly parts: InferenceParts",
    "demandRoom(tx)",
    "type Lane = () => void;",
    "openOutbox(deps)",
    "const told = read();",
    "siftLayers(found)",
    "settleRows(tx)",
    "STALE_MAX=5",
  ])("finds a retired word in: %s", (text) => expect(seen(text)).toBeGreaterThan(0));

  test.each([
    "// The client is told one end.",
    'test("amounts are told exactly", () => {',
    'test.each(rows)("a share is told to a tenth", () => {',
    '])("what is kept: %s", () => {',
  ])("finds a literary phrase in: %s", (text) =>
    expect(proseTerms.some(({ pattern }) => usesOf(pattern, proseOf(text)).length > 0)).toBe(true),
  );

  test.each([
    "await Promise.allSettled(all)",
    "PromiseSettledResult<string>",
    "parts of a path; letters or digits; an airplane; the z-index of layers",
    "it is kept; nobody was told",
  ])("lets ordinary words pass in: %s", (text) => expect(seen(text)).toBe(0));
});

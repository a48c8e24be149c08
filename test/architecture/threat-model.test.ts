import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository, withoutComments } from "./source-files.ts";

interface Citation {
  readonly file: string;
  /** The beginning of a test's or a group's name, as it stands in the source. */
  readonly name: string;
}

interface Row {
  readonly attack: string;
  readonly cells: readonly string[];
  readonly citations: readonly Citation[];
}

const heading = "| Attacker | Attack | Defence | Tests |";
const citation = /^`((?:src|test|e2e)\/[^`]+\.(?:test|spec)\.ts)`: (.+)$/;

/** The rows of every table of threats in a document. */
function rowsOf(document: string): Row[] {
  let inTable = false;
  return document.split("\n").flatMap((line) => {
    if (!line.startsWith("|")) inTable = false;
    else if (line.replace(/\s+/g, " ").trim() === heading) inTable = true;
    else if (inTable && !/^\|[\s|-]+\|$/.test(line)) {
      const cells = line
        .trim()
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim());
      const citations = (cells[3] ?? "").split("<br>").map((text) => {
        const [, file = "", name = ""] = citation.exec(text.trim()) ?? [];
        return { file, name };
      });
      return [{ attack: cells[1] ?? "", cells, citations }];
    }
    return [];
  });
}

/** What is wrong with a citation; null when a test of that name stands in that file. */
function problemOf({ file, name }: Citation): string | null {
  if (file === "") return "is no `file`: name of a test";
  const path = join(repository, file);
  if (!existsSync(path)) return `${file} does not exist`;
  const text = withoutComments(readFileSync(path, "utf8"));
  return ['"', "`"].some((quote) => text.includes(quote + name)) ? null : `${file} has no test “${name}”`;
}

const rows = rowsOf(readFileSync(join(repository, "docs/threat-model.md"), "utf8"));

describe("the threat model", () => {
  test("has rows, each with an attacker, an action and a defence", () => {
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.filter(({ cells }) => cells.length !== 4 || cells.some((cell) => cell === ""))).toEqual([]);
  });

  test.each(rows)("names tests that exist: $attack", ({ citations }) => {
    expect(citations.map(problemOf).filter((problem) => problem !== null)).toEqual([]);
  });

  test("would name one that does not", () => {
    const own = "test/architecture/threat-model.test.ts";
    const table = `${heading}\n| --- | --- | --- | --- |\n`;
    const [row] = rowsOf(
      `${table}| A | b | c | \`${own}\`: has rows, each<br>\`${own}\`: has ${"no"} such<br>\`test/x.test.ts\`: x<br>d |`,
    );
    expect(row?.citations.map(problemOf)).toEqual([
      null,
      expect.stringContaining("has no test"),
      expect.stringContaining("does not exist"),
      expect.stringContaining("is no"),
    ]);
  });
});

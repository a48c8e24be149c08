import { expect, test } from "vitest";
import { functionsIn } from "./functions.ts";
import { sourceFiles } from "./source-files.ts";

const fileLinesMax = 300;
const functionLinesMax = 80;

/** Files that are one table, so that a part of them is not easier to read. */
const dataFiles = new Set(["src/server/platform/limits.ts", "test/provider-errors.ts"]);
/** An auditor copies the verifier as one file that depends on nothing. */
const programsInOneFile = new Map([["scripts/verify.mjs", 480]]);
const files = ["src", "test", "e2e", "bench", "scripts"].flatMap(sourceFiles);
const linesOf = (text: string) => text.trimEnd().split("\n").length;

test(`no file has more than ${fileLinesMax} lines`, () => {
  const tooLong = files
    .map(({ path, text }) => ({ path, lines: linesOf(text) }))
    .filter(
      ({ path, lines }) => lines > (programsInOneFile.get(path) ?? fileLinesMax) && !dataFiles.has(path),
    );
  expect(tooLong).toEqual([]);
});

test(`no function has more than ${functionLinesMax} lines`, { timeout: 30_000 }, () => {
  const tooLong = files
    .filter(({ path }) => !path.endsWith(".css"))
    .flatMap((file) => functionsIn(file).map(({ name, lines }) => ({ name: `${file.path}#${name}`, lines })))
    .filter(({ lines }) => lines > functionLinesMax);
  expect(tooLong).toEqual([]);
});

test("functions are measured by their own lines, and groups of tests are not functions", () => {
  const text = `describe.each(rows)("a", () => {
  test("b", () => {
    f();
  });
});
const arrow = <T>(value: T) => {
  return value;
};
class Some {
  method() {}
}
`;
  expect(functionsIn({ path: "a.ts", text })).toEqual([
    { name: "", line: 2, lines: 3 },
    { name: "arrow", line: 6, lines: 3 },
    { name: "method", line: 10, lines: 1 },
  ]);
});

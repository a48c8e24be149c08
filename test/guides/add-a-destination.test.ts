import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as fields from "#server/destinations/fields.ts";
import * as kind from "#server/destinations/kind.ts";
import * as otlpKind from "#server/destinations/otlp-kind.ts";
import { destinationKinds } from "#server/destinations/registry.ts";
import { sourceFiles } from "../architecture/source-files.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const guide = read("docs/guides/add-a-destination.md");

/** What stands between the fences of a language. */
const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(([, text = ""]) => text);

/** Lines without what indents and pads them. */
const bare = (text: string): string =>
  text
    .trim()
    .split("\n")
    .map((line) => line.trim().replaceAll(/ +\|/g, " |"))
    .join("\n");

test("the file, the line, the row and the table's line that the guide shows are those of Honeycomb", () => {
  const [file = "", line = "", row = ""] = blocks("ts");
  expect(file).toBe(read("src/server/destinations/kinds/honeycomb.ts"));
  expect(read("src/server/destinations/registry.ts").split("\n")).toContain(line.trim());
  expect(bare(read("test/destinations/fixtures.ts"))).toContain(bare(row));
  const [tableLine = "missing"] = blocks("md");
  expect(bare(read("docs/destinations.md"))).toContain(bare(tableLine));
});

test("what the guide names is there: files, fields, ways to make a type", () => {
  const paths = [...guide.matchAll(/`((?:src|test)\/[\w./-]+\.ts)`/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(1);
  for (const path of paths) expect(() => read(path)).not.toThrow();
  const [, told = ""] = /^- Fields come from `fields.ts`: (.*?)\. Names are/m.exec(guide) ?? [];
  expect([...told.matchAll(/`(\w+)` \(/g)].map(([, name]) => name).sort()).toEqual(
    Object.keys(fields)
      .filter((name) => name !== "Headers")
      .sort(),
  );
  for (const name of ["defineKind", "tracesUrl", "otlpKind"]) {
    expect(guide).toContain(name);
    expect({ ...kind, ...otlpKind }).toHaveProperty(name);
  }
});

test("a type is one file and one line: its name is nowhere else in the program", () => {
  const known = new Set(destinationKinds.map(({ type }) => `"${type}"`));
  const named = sourceFiles("src")
    // Tests may name one; the program may not.
    .filter(({ path }) => !path.startsWith("src/server/destinations/kinds/") && !/\.test\.tsx?$/.test(path))
    // A channel of alerts has a type "webhook" of its own.
    .filter(({ path }) => !path.startsWith("src/server/alerts/"))
    .flatMap(({ path, text }) =>
      [...known].filter((name) => text.includes(name)).map((name) => `${path}: ${name}`),
    );
  expect(named.toSorted()).toEqual([
    // The example of the API's description has to name one.
    'src/server/api/routers/destinations.ts: "otel-collector"',
    // Signatures for buckets contain the name of the service.
    'src/server/transparency/publication-target.ts: "s3"',
  ]);
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Settings } from "#server/platform/env.ts";
import { repository } from "./source-files.ts";

const settings = Object.keys(Settings.shape).sort();
const read = (path: string) => readFileSync(join(repository, path), "utf8");

/** `MISTRAL_API_KEY` and its like are credentials of providers, not settings of ours. */
const isSetting = (name: string) => !name.endsWith("_API_KEY") || name === "ADMIN_API_KEY";
const namesIn = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].flatMap(([, name]) => name ?? []))].filter(isSetting).sort();

test("every setting stands in .env.example, and nothing else does", () => {
  expect(namesIn(read(".env.example"), /^#? ?([A-Z][A-Z0-9_]*)=/gm)).toEqual(settings);
});

test("every setting has a row in the table of the README, and nothing else has", () => {
  const table = read("README.md").split("## Settings")[1]?.split("\n## ")[0] ?? "";
  expect(namesIn(table, /^\| `([A-Z][A-Z0-9_]*)`/gm)).toEqual(settings);
});

test("the defaults told in .env.example are those of the program", () => {
  const defaults: Record<string, unknown> = Settings.parse({});
  for (const [, name, value] of read(".env.example").matchAll(/^([A-Z][A-Z0-9_]*)=(.+)$/gm)) {
    expect(`${name}=${value}`).toBe(`${name}=${defaults[name ?? ""]}`);
  }
});

import { describe, expect, test } from "vitest";
import { startTestServer } from "#test/process/server.ts";
import { codeBlocks, readDocument, runScript } from "./guide.ts";

/** `@scope/name` or `name` of what a program imports. */
const packageOf = (imported: string): string =>
  imported
    .split("/")
    .slice(0, imported.startsWith("@") ? 2 : 1)
    .join("/");

const server = await startTestServer();

describe("docs/clients.md", () => {
  const guide = readDocument("docs/clients.md");
  const programs = codeBlocks(guide, "js").map((script) => {
    const imported = [...script.matchAll(/from "([^"]+)"/g)].map(([, name = ""]) => packageOf(name));
    return [[...new Set(imported)].join(" and "), script] as const;
  });

  test("has a program for every library", () => {
    const libraries = [...guide.matchAll(/`npm install ([^`]+)`/g)].flatMap(([, names = ""]) =>
      names.split(" "),
    );
    const imported = programs.flatMap(([names]) => names.split(" and "));
    expect(new Set(imported)).toEqual(new Set(libraries));
  });

  test.each(programs)("the program with %s prints an answer", async (_, script) => {
    expect(await runScript(script, server)).not.toBe("");
  });
});

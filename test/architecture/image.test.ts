import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serverEnvironment, serverFlags } from "../../scripts/setup/server-flags.mjs";
import { copiesOf, stagesOf } from "../chaos/dockerfile.ts";

const root = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

/** Commands for who works on the program; everything else has to work in the image too. */
const forDevelopment =
  /^(dev|setup|test.*|screenshots|check|size|typecheck|lint|format|build|generate.*|db:migration|bench.*)$/;
const inImage = Object.entries(scripts).filter(([name]) => !forDevelopment.test(name));

const [, runtime = []] = stagesOf(join(root, "Dockerfile"));
const copied = copiesOf(runtime).flatMap(({ from }) => from);
const isCopied = (file: string) => copied.some((path) => file === path || file.startsWith(`${path}/`));
const ignored = readFileSync(join(root, ".dockerignore"), "utf8").split("\n").filter(Boolean);

const filesIn = (command: string) => command.match(/\b(?:scripts|src)\/[\w./-]+\.(?:ts|mjs)\b/g) ?? [];

test.each(inImage)("every file of npm run %s is in the image", (_, command) => {
  const files = filesIn(command);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    expect(existsSync(join(root, file)), file).toBe(true);
    expect(isCopied(file), file).toBe(true);
    expect(
      ignored.some((entry) => file.startsWith(`${entry}/`)),
      file,
    ).toBe(false);
  }
});

test("the server in the image has the flags and the environment that npm start gives it", () => {
  const file = readFileSync(join(root, "Dockerfile"), "utf8");
  const command = /^CMD \[(.*)\]$/m.exec(file)?.[1];
  expect(command).toBe(["node", ...serverFlags, ".server/main.mjs"].map((part) => `"${part}"`).join(", "));
  for (const [name, value] of Object.entries(serverEnvironment)) expect(file).toContain(`${name}=${value}`);
});

test("the operator's commands are among them", () => {
  const names = inImage.map(([name]) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      "start",
      "cli",
      "audit:money",
      "audit:verify",
      "audit:decisions",
      "database:rewrite",
      "secrets:purge",
      "secrets:forget",
    ]),
  );
});

test("the documentation names every one of them", () => {
  const operations = readFileSync(join(root, "docs/operations.md"), "utf8");
  for (const [name] of inImage.filter(([name]) => name !== "start"))
    expect(operations).toContain(`npm run ${name}`);
});

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { directoryOfFile } from "#test/directories.ts";
import { secretOf } from "../../scripts/cli/secrets.ts";

const root = directoryOfFile();
const directory = join(root, "repository");
for (const path of ["repository/secrets", "repository/.git", "repository-2"])
  mkdirSync(join(root, path), { recursive: true });
const write = (path: string) => writeFileSync(join(root, path), `content of ${path}\n`);
for (const path of ["outside", "repository-2/other", "repository/team..txt", "repository/secrets/token"])
  write(path);
for (const path of ["repository/.git/config", "repository/.env"]) write(path);
for (const [link, target] of [
  ["inside", "secrets/token"],
  ["leaves", "../outside"],
  ["hidden", ".git/config"],
  ["folder", ".."],
] as const)
  symlinkSync(target, join(directory, link));

const environment = { PORTOLAN_SECRET_A: "a", PORTOLAN_API_KEY: "ptl_secret", AWS_SECRET_ACCESS_KEY: "aws" };
const read = (reference: string) => secretOf(reference, join(directory, "portolan.yaml"), environment);

describe("secrets that a configuration file refers to", () => {
  test.each([
    ["env:PORTOLAN_SECRET_A", "a"],
    ["env:PORTOLAN_SECRET_NONE", undefined],
    ["file:team..txt", "content of repository/team..txt"],
    ["file:./secrets/token", "content of repository/secrets/token"],
    ["file:inside", "content of repository/secrets/token"],
  ])("%s is read", (reference, value) => {
    expect(read(reference)).toBe(value);
  });

  test.each([
    "PORTOLAN_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "PATH",
    "A_PORTOLAN_SECRET_A",
    "portolan_secret_a",
  ])("env:%s is refused, whether or not it is set", (name) => {
    expect(() => read(`env:${name}`)).toThrow(`env:${name} is not read: the name of the variable must`);
  });

  test.each([
    "../outside",
    "../repository-2/other",
    "secrets/../../outside",
    "secrets/../.env",
    "/etc/hostname",
    "/proc/self/environ",
    "..",
    ".",
    ".env",
    ".git/config",
    "leaves",
    "hidden",
    "folder/outside",
  ])("file:%s is refused", (path) => {
    expect(() => read(`file:${path}`)).toThrow(`file:${path} is not read: must be a path in the directory`);
  });

  test("a file that does not exist is named", () => {
    expect(() => read("file:secrets/none")).toThrow(/secrets.none cannot be read/);
  });
});

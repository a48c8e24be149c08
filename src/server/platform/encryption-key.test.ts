import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "#test/directories.ts";
import { readEncryptionKey, writeEncryptionKey } from "./encryption-key.ts";

test("reading makes nothing: a new key is on disk only once it is written, for its owner alone", () => {
  const directory = temporaryDirectory();
  const { key, unwrittenFile } = readEncryptionKey(directory);
  expect(key).toHaveLength(32);
  expect(readdirSync(directory)).toEqual([]);
  const file = join(directory, "encryption.key");
  expect(unwrittenFile).toBe(file);
  writeEncryptionKey(key, file);
  expect(readEncryptionKey(directory)).toEqual({ key, unwrittenFile: null });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory)).toEqual(["encryption.key"]);
});

test("what a killed write left behind does not count, and does not hinder the next", () => {
  const directory = temporaryDirectory();
  const file = join(directory, "encryption.key");
  writeFileSync(`${file}.new`, "half of it");
  const { key, unwrittenFile } = readEncryptionKey(directory);
  expect(unwrittenFile).toBe(file);
  expect(existsSync(file)).toBe(false);
  writeEncryptionKey(key, file);
  expect(Buffer.from(readFileSync(file, "utf8"), "base64")).toEqual(key);
});

test.each(["", "AAAA", "no base64 at all"])(
  "a file with %j is replaced if nothing can be sealed with it, and refused beside a database",
  (content) => {
    const directory = temporaryDirectory();
    const file = join(directory, "encryption.key");
    writeFileSync(file, content);
    expect(readEncryptionKey(directory).unwrittenFile).toBe(file);
    mkdirSync(join(directory, "database"));
    expect(() => readEncryptionKey(directory)).toThrow(
      `${file} does not hold 32 bytes in base64; restore it from a backup`,
    );
  },
);

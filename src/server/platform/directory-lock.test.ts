import { expect, test } from "vitest";
import { firstOutput, runInChild } from "#test/child.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { lockDirectory } from "./directory-lock.ts";

/** A process that takes the directory, says whether it could, and stays. */
const holder = (directory: string) =>
  runInChild(`
    import { lockDirectory } from "#server/platform/directory-lock.ts";
    globalThis.lock = lockDirectory(${JSON.stringify(directory)});
    process.stdout.write(globalThis.lock ? "held" : "refused");
    setInterval(() => {}, 1000);
  `);

test("a directory is taken by one at a time and is free again after release", () => {
  const directory = temporaryDirectory();
  const first = lockDirectory(directory);
  expect(first).not.toBeNull();
  expect(lockDirectory(directory)).toBeNull();
  first?.release();
  const second = lockDirectory(directory);
  expect(second).not.toBeNull();
  second?.release();
});

test("a refused attempt in the same process does not loosen the lock for others", async () => {
  const directory = temporaryDirectory();
  const lock = lockDirectory(directory);
  expect(lockDirectory(directory)).toBeNull();
  expect(await firstOutput(holder(directory))).toBe("refused");
  lock?.release();
});

test("another process's directory is refused 20 times of 20 and free at once when it is killed", async () => {
  const directory = temporaryDirectory();
  for (let trial = 0; trial < 20; trial++) {
    const other = holder(directory);
    expect(await firstOutput(other)).toBe("held");
    expect(lockDirectory(directory)).toBeNull();
    await other.kill();
    const own = lockDirectory(directory);
    expect(own).not.toBeNull();
    own?.release();
  }
}, 60_000);

test("a directory that cannot be made is an error, not a refusal", () => {
  expect(() => lockDirectory("/dev/null/portolan")).toThrow(/ENOTDIR/);
});

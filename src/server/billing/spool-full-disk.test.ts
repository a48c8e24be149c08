import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { failWrites, filesOf, openSpool, recordsOf, reserveBytes } from "#test/spool-files.ts";
import { until } from "#test/until.ts";
import type { Spool } from "./spool.ts";

vi.mock("node:fs", async (actual) => (await import("#test/mocked-writes.ts")).mockedWrites(await actual()));

describe("a full disk", () => {
  const reserve = ({ directory }: Spool) => join(directory, "reserve");

  test("switches to the preallocated reserve; nothing is admitted until there is space for another reserve", async () => {
    const spool = openSpool();
    expect(fs.statSync(reserve(spool)).size).toBe(reserveBytes);
    await spool.append("ADMIT", "a", "{}");
    await failWrites("ENOSPC", 1);
    await spool.append("FINAL", "a", "{}");
    expect(fs.existsSync(reserve(spool))).toBe(false);
    expect(recordsOf(spool).map((record) => record?.type)).toEqual(["ADMIT", "FINAL"]);
    // The file was allocated before: no other writer can take its space.
    expect(filesOf(spool)).toEqual(["000001.spool", "000002.spool"]);
    expect(fs.statSync(join(spool.directory, "000002.spool")).size).toBe(reserveBytes);
    await expect(spool.append("ADMIT", "b", "{}")).rejects.toThrow("The disk is full");
    expect(spool.pending()).toBe(1);
    const nowMs = clock.monotonicMs();
    vi.spyOn(clock, "monotonicMs").mockReturnValue(nowMs + limits.spool.retryAfterMs);
    onTestFinished(() => void vi.restoreAllMocks());
    await spool.append("ADMIT", "b", "{}");
    expect(fs.statSync(reserve(spool)).size).toBe(reserveBytes);
  });

  test("rejects what does not fit into the reserve", async () => {
    const spool = openSpool();
    await spool.append("ADMIT", "a", "{}");
    await failWrites("ENOSPC", 2);
    await expect(spool.append("FINAL", "a", "{}")).rejects.toMatchObject({ code: "ENOSPC" });
    expect(recordsOf(spool).map((record) => record?.type)).toEqual(["ADMIT"]);
    await spool.append("FINAL", "a", "{}");
    await until(() => expect(recordsOf(spool).map((record) => record?.type)).toEqual(["FINAL"]));
  });

  test("leaves both segments until everything of the batch that was written twice is booked", async () => {
    const spool = openSpool();
    for (const id of ["a", "b"]) await spool.append("PROGRESS", id, "{}");
    await failWrites("ENOSPC", 1);
    await spool.mark("a", 7);
    expect(recordsOf(spool).map((record) => record?.type)).toEqual(["PROGRESS", "PROGRESS", "MARK"]);
    await spool.append("FINAL", "c", "{}");
    spool.release("c");
    await spool.append("FINAL", "b", "{}");
    spool.release("b");
    expect(filesOf(spool)).toEqual(["000001.spool", "000002.spool"]);
    spool.release("a");
    await until(() => expect(filesOf(spool)).toEqual(["000002.spool"]));
  });

  test("at the start prevents every admission", async () => {
    const spool = openSpool("process", undefined, Number.MAX_SAFE_INTEGER);
    await expect(spool.append("ADMIT", "a", "{}")).rejects.toThrow("The disk is full");
  });
});

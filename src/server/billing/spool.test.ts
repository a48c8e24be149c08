import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { silentLog } from "#server/platform/log.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { failWrites, filesOf, openSpool, recordsOf, reserveBytes, textOf } from "#test/spool-files.ts";
import { until } from "#test/until.ts";
import { Spool } from "./spool.ts";

vi.mock("node:fs", async (actual) => (await import("#test/mocked-writes.ts")).mockedWrites(await actual()));

describe("appending", () => {
  test("writes the records of one turn in order before it resolves", async () => {
    const spool = openSpool();
    await Promise.all([
      spool.append("ADMIT", "a", "{}"),
      spool.append("ADMIT", "b", "{}"),
      spool.append("FINAL", "a", '{"n":1}'),
    ]);
    expect(recordsOf(spool).map((record) => `${record?.type} ${record?.id}`)).toEqual([
      "ADMIT a",
      "ADMIT b",
      "FINAL a",
    ]);
    expect(spool.pending()).toBe(2);
  });

  test("with `power` resolves only after a sync that began when its record was written, 1,000 of 1,000", async () => {
    const { fdatasync } = await vi.importActual<typeof fs>("node:fs");
    let synced = "";
    const spool = openSpool("power");
    vi.mocked(fs.fdatasync).mockImplementation((descriptor, done) => {
      const covered = textOf(spool);
      fdatasync(descriptor, (error) => {
        synced = covered;
        done(error);
      });
    });
    onTestFinished(() => void vi.mocked(fs.fdatasync).mockImplementation(fdatasync));
    let early = 0;
    const ends: Promise<void>[] = [];
    for (let at = 0; at < 1000; at++) {
      const id = `id-${at}`;
      ends.push(
        spool.append("FINAL", id, "{}").then(() => {
          if (!synced.includes(` FINAL ${id} `)) early++;
        }),
      );
      if (at % 7 === 0) await new Promise(setImmediate);
    }
    await Promise.all(ends);
    expect(early).toBe(0);
    // Many appends share one sync: otherwise the disk would limit the throughput.
    expect(vi.mocked(fs.fdatasync).mock.calls.length).toBeLessThan(500);
  });

  test("with `power` rolls over to new segments and resolves every append", async () => {
    const spool = openSpool("power", 300);
    const ends: Promise<void>[] = [];
    for (let at = 0; at < 50; at++) {
      ends.push(spool.append("FINAL", `${at}`, '"..............."'));
      if (at % 3 === 0) await new Promise(setImmediate);
    }
    await Promise.all(ends);
    expect(recordsOf(spool)).toHaveLength(50);
    expect(filesOf(spool).length).toBeGreaterThan(5);
  });

  test("rejects when the disk fails, and later records stay readable", async () => {
    const spool = openSpool();
    await spool.append("ADMIT", "a", "{}");
    await failWrites("EIO", 1);
    await expect(spool.append("ADMIT", "b", "{}")).rejects.toMatchObject({ code: "EIO" });
    await spool.append("ADMIT", "c", "{}");
    expect(recordsOf(spool).map((record) => record?.id)).toEqual(["a", "c"]);
  });
});

describe("segments", () => {
  const append = (spool: Spool, id: string) => spool.append("FINAL", id, JSON.stringify("x".repeat(100)));

  test("a full segment is followed by the next and is removed once everything in it is booked", async () => {
    const spool = openSpool("process", 300);
    for (const id of ["a", "b", "c", "d", "e"]) await append(spool, id);
    expect(filesOf(spool)).toEqual(["000001.spool", "000002.spool"]);
    for (const id of ["a", "b"]) spool.release(id);
    expect(filesOf(spool)).toEqual(["000001.spool", "000002.spool"]);
    spool.release("c");
    await until(() => expect(filesOf(spool)).toEqual(["000002.spool"]));
    for (const id of ["d", "e"]) spool.release(id);
    expect(spool.pending()).toBe(0);
  });

  test("a segment that is booked while it is written to is removed when it is full", async () => {
    const spool = openSpool("process", 300);
    for (const id of ["a", "b", "c"]) {
      await append(spool, id);
      spool.release(id);
    }
    expect(filesOf(spool)).toEqual(["000001.spool"]);
    await append(spool, "d");
    await until(() => expect(filesOf(spool)).toEqual(["000002.spool"]));
  });

  test("a segment that is not full is removed after its time when everything in it is booked, and only then", async () => {
    const spool = new Spool(
      join(temporaryDirectory(), "spool"),
      { sync: "power", reserveBytes, segmentAgeMs: 20 },
      silentLog,
    );
    onTestFinished(() => spool.close());
    await Promise.all([spool.append("FINAL", "ada", "{}"), spool.append("FINAL", "grace", "{}")]);
    const [first = ""] = filesOf(spool);
    await until(() => expect(filesOf(spool)).toHaveLength(2));
    expect(spool.mark("ada", 7)).toBeNull();
    // What was not booked is still found.
    expect(await spool.readFinished(10)).toEqual(["{}", "{}"]);
    spool.release("ada");
    expect(filesOf(spool)).toContain(first);
    spool.release("grace");
    await until(() => expect(filesOf(spool)).not.toContain(first));
    // Requests go on while segments end.
    for (let at = 0; at < 200; at++) {
      await spool.append("ADMIT", `of ${at}`, "{}");
      await spool.append("FINAL", `of ${at}`, "{}");
      spool.release(`of ${at}`);
    }
    await until(() => expect(textOf(spool)).toBe(""));
  });

  test("a generation counts for the segment of its newest record", async () => {
    const spool = openSpool("process", 300);
    await append(spool, "long");
    for (const id of ["b", "c"]) await append(spool, id);
    await append(spool, "long");
    for (const id of ["b", "c"]) spool.release(id);
    await until(() => expect(filesOf(spool)).toEqual(["000002.spool"]));
    expect(recordsOf(spool)).toEqual([expect.objectContaining({ id: "long" })]);
  });

  test("the segment with a generation's older record stays while the newer record is not written", async () => {
    const spool = openSpool("process", 100);
    await spool.append("PROGRESS", "a", JSON.stringify("x".repeat(100)));
    await failWrites("EIO", 1);
    const refused = spool.append("FINAL", "a", "{}");
    expect(recordsOf(spool).map((record) => record?.type)).toEqual(["PROGRESS"]);
    await expect(refused).rejects.toMatchObject({ code: "EIO" });
    expect(recordsOf(spool).map((record) => record?.type)).toEqual(["PROGRESS"]);
    await spool.append("FINAL", "a", "{}");
    await until(() => expect(recordsOf(spool).map((record) => record?.type)).toEqual(["FINAL"]));
    spool.release("a");
    expect(spool.pending()).toBe(0);
  });

  test("releasing an unknown id, or an id twice, changes nothing", async () => {
    const spool = openSpool();
    await append(spool, "a");
    spool.release("a");
    spool.release("a");
    spool.release("never");
    expect(spool.pending()).toBe(0);
  });
});

test("for a database that does not sync, booked segments stay a while longer, also after the end of the process", async () => {
  const directory = join(temporaryDirectory(), "spool");
  const spool = new Spool(
    directory,
    { sync: "process", segmentBytesMax: 100, bookedRetentionMs: 60 },
    silentLog,
  );
  for (const id of ["a", "b", "c"]) {
    await spool.append("FINAL", id, JSON.stringify("x".repeat(100)));
    spool.release(id);
  }
  expect(filesOf(spool)).toHaveLength(3);
  await until(() => expect(filesOf(spool)).toEqual(["000003.spool"]));
  await spool.close();
  expect(filesOf(spool)).toEqual(["000003.spool"]);
});

test("closing removes the folder when nothing is pending, and leaves it when something is", async () => {
  const empty = openSpool();
  await empty.append("FINAL", "a", "{}");
  empty.release("a");
  await empty.close();
  expect(fs.existsSync(empty.directory)).toBe(false);
  const waiting = openSpool();
  await waiting.append("FINAL", "a", "{}");
  await waiting.close();
  expect(fs.existsSync(waiting.directory)).toBe(true);
});

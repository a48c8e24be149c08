import fs from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { silentLog } from "#server/platform/log.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { Spool, type SpoolSync } from "./spool.ts";
import { decodeRecord, encodeRecord } from "./spool-record.ts";

vi.mock("node:fs", async (importActual) => {
  const actual = await importActual<typeof fs>();
  const writeSync = vi.fn(actual.writeSync);
  return { ...actual, writeSync, default: { ...actual, writeSync } };
});

function openSpool(sync: SpoolSync = "process", segmentBytesMax?: number) {
  const spool = new Spool(join(temporaryDirectory(), "spool"), sync, silentLog, segmentBytesMax);
  onTestFinished(() => spool.close());
  return spool;
}
const filesOf = ({ directory }: Spool) => fs.readdirSync(directory).sort();
const textOf = (spool: Spool) =>
  filesOf(spool)
    .map((file) => fs.readFileSync(join(spool.directory, file), "utf8"))
    .join("");
const recordsOf = (spool: Spool) => textOf(spool).trimEnd().split("\n").map(decodeRecord);

describe("a record", () => {
  test("is read back as it was written, whatever the JSON holds", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.json(), fc.constantFrom("ADMIT", "PROGRESS", "FINAL"), (id, json, type) => {
        const line = encodeRecord(type, id, json);
        expect(line.endsWith("\n")).toBe(true);
        expect(line.slice(0, -1)).not.toContain("\n");
        expect(decodeRecord(line.slice(0, -1))).toEqual({ type, id, json });
      }),
    );
  });

  test("is not read when it was cut anywhere or one character was altered", () => {
    const line = encodeRecord("FINAL", "0190", '{"cost":"1"}').slice(0, -1);
    for (let at = 0; at < line.length; at++) {
      expect(decodeRecord(line.slice(0, at))).toBeNull();
      expect(decodeRecord(`${line.slice(0, at)}~${line.slice(at + 1)}`)).toBeNull();
    }
    expect(decodeRecord(`${line} `)).toBeNull();
  });
});

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
    expect(spool.pending).toBe(2);
  });

  test("with `power` resolves only once the file is synced", async () => {
    const order: string[] = [];
    const spool = openSpool("power");
    const appended = spool.append("FINAL", "a", "{}").then(() => order.push("resolved"));
    // The write happens in this turn's setImmediate; syncing takes at least one more.
    await new Promise(setImmediate);
    order.push(textOf(spool).length > 0 ? "written" : "not written");
    await appended;
    expect(order).toEqual(["written", "resolved"]);
  });

  test("rejects when the disk is full, and what is written later stays readable", async () => {
    const spool = openSpool();
    await spool.append("ADMIT", "a", "{}");
    const { writeSync } = await vi.importActual<typeof fs>("node:fs");
    vi.mocked(fs.writeSync).mockImplementationOnce((descriptor, bytes) => {
      writeSync(descriptor, String(bytes).slice(0, 10));
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    });
    await expect(spool.append("ADMIT", "b", "{}")).rejects.toMatchObject({ code: "ENOSPC" });
    await spool.append("ADMIT", "c", "{}");
    expect(recordsOf(spool).map((record) => record?.id)).toEqual(["a", undefined, "c"]);
  });
});

describe("segments", () => {
  const append = (spool: Spool, id: string) => spool.append("FINAL", id, JSON.stringify("x".repeat(100)));

  test("a full one is followed by the next, and goes once everything in it is booked", async () => {
    const spool = openSpool("process", 300);
    for (const id of ["a", "b", "c", "d", "e"]) await append(spool, id);
    expect(filesOf(spool)).toEqual(["000001.spool", "000002.spool"]);
    for (const id of ["a", "b"]) spool.release(id);
    expect(filesOf(spool)).toEqual(["000001.spool", "000002.spool"]);
    spool.release("c");
    await vi.waitFor(() => expect(filesOf(spool)).toEqual(["000002.spool"]));
    for (const id of ["d", "e"]) spool.release(id);
    expect(spool.pending).toBe(0);
  });

  test("one that is booked while it is written to goes when it is full", async () => {
    const spool = openSpool("process", 300);
    for (const id of ["a", "b", "c"]) {
      await append(spool, id);
      spool.release(id);
    }
    expect(filesOf(spool)).toEqual(["000001.spool"]);
    await append(spool, "d");
    await vi.waitFor(() => expect(filesOf(spool)).toEqual(["000002.spool"]));
  });

  test("a generation counts for the segment of its newest record", async () => {
    const spool = openSpool("process", 300);
    await append(spool, "long");
    for (const id of ["b", "c"]) await append(spool, id);
    await append(spool, "long");
    for (const id of ["b", "c"]) spool.release(id);
    await vi.waitFor(() => expect(filesOf(spool)).toEqual(["000002.spool"]));
    expect(recordsOf(spool)).toEqual([expect.objectContaining({ id: "long" })]);
  });

  test("releasing what is unknown or twice changes nothing", async () => {
    const spool = openSpool();
    await append(spool, "a");
    spool.release("a");
    spool.release("a");
    spool.release("never");
    expect(spool.pending).toBe(0);
  });
});

test("closing takes the folder away when nothing waits, and keeps it when something does", async () => {
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

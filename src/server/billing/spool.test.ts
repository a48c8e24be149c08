import fs from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { silentLog } from "#server/platform/log.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { until } from "#test/until.ts";
import { Spool, type SpoolSync } from "./spool.ts";
import { readRecords, segmentFiles } from "./spool-reader.ts";
import { decodeRecord, encodeRecord, RecordBuffer } from "./spool-record.ts";

vi.mock("node:fs", async (importActual) => {
  const actual = await importActual<typeof fs>();
  const writeSync = vi.fn(actual.writeSync);
  const fdatasync = vi.fn(actual.fdatasync);
  return { ...actual, writeSync, fdatasync, default: { ...actual, writeSync, fdatasync } };
});

const reserveBytes = 2 ** 20 + 1;

function openSpool(sync: SpoolSync = "process", segmentBytesMax?: number, reserve = reserveBytes) {
  const limit = segmentBytesMax !== undefined && { segmentBytesMax };
  const options = { sync, reserveBytes: reserve, ...limit };
  const spool = new Spool(join(temporaryDirectory(), "spool"), options, silentLog);
  onTestFinished(() => spool.close());
  return spool;
}
const filesOf = ({ directory }: Spool) => segmentFiles(directory);
const textOf = (spool: Spool) =>
  filesOf(spool)
    .map((file) => fs.readFileSync(join(spool.directory, file), "utf8"))
    .join("");
/** The next write of records gets ten bytes to the disk, as many after it as told fail, and those behind them do not. */
async function failWrites(code: string, times: number): Promise<void> {
  const { writeSync } = await vi.importActual<typeof fs>("node:fs");
  type Write = (
    descriptor: number,
    bytes: Uint8Array,
    at: number,
    length: number,
    position: number,
  ) => number;
  let isFirst = true;
  let left = times;
  vi.mocked<Write>(fs.writeSync).mockImplementation((descriptor, bytes, at, length, position) => {
    if (bytes[0] === 0) return writeSync(descriptor, bytes, at, length, position);
    if (isFirst) {
      isFirst = false;
      return writeSync(descriptor, bytes, at, 10, position);
    }
    if (left === 0) return writeSync(descriptor, bytes, at, length, position);
    left--;
    throw Object.assign(new Error("The disk fails"), { code });
  });
}

/** A line of text as the spool's own reader decodes it. */
const decoded = (line: string) => decodeRecord(Buffer.from(line));
const recordsOf = (spool: Spool) => textOf(spool).replaceAll("\0", "").trimEnd().split("\n").map(decoded);

describe("a record", () => {
  test("is read back as it was written, whatever the JSON holds", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.json(), fc.constantFrom("ADMIT", "PROGRESS", "FINAL"), (id, json, type) => {
        const line = encodeRecord(type, id, json);
        expect(line.endsWith("\n")).toBe(true);
        expect(line.slice(0, -1)).not.toContain("\n");
        expect(decoded(line.slice(0, -1))).toEqual({ type, id, json });
      }),
    );
  });

  test("stands beside others in one buffer, however long they are and whatever they are written in", () => {
    const records = new RecordBuffer();
    const long = fc
      .constantFrom(1, 30_000, 70_000, 400_000)
      .chain((length) =>
        fc
          .constantFrom("a", "\u00e4", "\u20ac", "\u{1f600}")
          .map((unit) => JSON.stringify(unit.repeat(length))),
      );
    fc.assert(
      fc.property(fc.array(long, { minLength: 1, maxLength: 4 }), (texts) => {
        for (const json of texts) records.add("FINAL", "0190", json);
        const lines = records.take().toString().trimEnd().split("\n");
        expect(lines.map((line) => decoded(line)?.json)).toEqual(texts);
      }),
      { numRuns: 30 },
    );
  });

  test("is not read when it was cut anywhere or one character was altered", () => {
    const line = encodeRecord("FINAL", "0190", '{"cost":"1"}').slice(0, -1);
    for (let at = 0; at < line.length; at++) {
      expect(decoded(line.slice(0, at))).toBeNull();
      expect(decoded(`${line.slice(0, at)}~${line.slice(at + 1)}`)).toBeNull();
    }
    expect(decoded(`${line} `)).toBeNull();
  });
});

/** Every character there is: line and paragraph separators, controls, halves of pairs, astral ones. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.constantFrom(
      "\u2028",
      "\u2029",
      "\u0085",
      "\r",
      "\n",
      "\r\n",
      "\0",
      "\ufeff",
      "\ud800",
      "\udc00",
      "\u{1f600}",
    ),
  ),
});
const { SPOOL_TEXTS: askedTexts } = process.env;
const textsInAll = Number(askedTexts ?? 2_000);

describe("reading a spool back", () => {
  /** What a reader finds in a file with these bytes. */
  async function readBack(bytes: Buffer) {
    const file = join(temporaryDirectory(), "000001.spool");
    fs.writeFileSync(file, bytes);
    const unreadable: Buffer[] = [];
    const records = [];
    for await (const record of readRecords(file, (line) => unreadable.push(Buffer.from(line.bytes))))
      records.push(record);
    return { records, unreadable };
  }

  test(`returns ${textsInAll} texts of all of Unicode byte for byte, in any field`, {
    timeout: 600_000,
  }, async () => {
    const texts = fc.sample(anyText, { numRuns: textsInAll, seed: 20_261_123 });
    const jsons = texts.map((text) => JSON.stringify({ user: text, [text]: [text], finish_reason: text }));
    const spool = openSpool();
    await Promise.all(jsons.map((json, at) => spool.append("FINAL", `${at}`, json)));
    const read = new Map<string, string>();
    for (const file of filesOf(spool))
      for await (const { id, json } of readRecords(join(spool.directory, file), () =>
        expect.fail("unreadable"),
      ))
        read.set(id, json);
    expect(read.size).toBe(textsInAll);
    const changed = jsons.filter((json, at) => read.get(String(at)) !== json);
    expect(changed).toEqual([]);
    expect(JSON.parse(jsons[0] ?? "").user).toBe(texts[0]);
  });

  test("after a cut at any byte returns every record before it, and keeps the rest aside", async () => {
    const jsons = fc.sample(anyText, { numRuns: 3, seed: 7 }).map((text) => JSON.stringify([text, "\u2028"]));
    const lines = jsons.map((json, at) => Buffer.from(encodeRecord("FINAL", `${at}`, json)));
    const all = Buffer.concat(lines);
    const ends = lines.map((_, at) => Buffer.concat(lines.slice(0, at + 1)).length);
    for (let cut = 0; cut <= all.length; cut++) {
      const { records, unreadable } = await readBack(all.subarray(0, cut));
      // A record is there with its last byte; the line break behind it says nothing more.
      const complete = ends.filter((end) => end - 1 <= cut).length;
      expect(records.map(({ json }) => json)).toEqual(jsons.slice(0, complete));
      const from = complete === 0 ? 0 : (ends[complete - 1] ?? 0);
      const rest = all.subarray(from, Math.max(cut, from));
      expect(Buffer.concat(unreadable)).toEqual(rest);
    }
  });

  test("passes over the unwritten room of a preallocated segment, before and behind records", async () => {
    const line = Buffer.from(encodeRecord("FINAL", "a", "{}"));
    const room = Buffer.alloc(100_000);
    const { records, unreadable } = await readBack(
      Buffer.concat([line, room, line, line.subarray(0, 9), room]),
    );
    expect(records).toHaveLength(2);
    expect(unreadable).toEqual([line.subarray(0, 9)]);
  });

  test("reads records that are longer than what is read at once", async () => {
    const json = JSON.stringify("\u2028".repeat(200_000));
    const { records } = await readBack(Buffer.from(encodeRecord("FINAL", "a", json).repeat(3)));
    expect(records.map((record) => record.json)).toEqual([json, json, json]);
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
    // Many share one sync: else the disk would be the limit of what can be served.
    expect(vi.mocked(fs.fdatasync).mock.calls.length).toBeLessThan(500);
  });

  test("with `power` rolls over to new segments and loses nobody who waits", async () => {
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

  test("rejects when the disk fails, and what is written later stays readable", async () => {
    const spool = openSpool();
    await spool.append("ADMIT", "a", "{}");
    await failWrites("EIO", 1);
    await expect(spool.append("ADMIT", "b", "{}")).rejects.toMatchObject({ code: "EIO" });
    await spool.append("ADMIT", "c", "{}");
    expect(recordsOf(spool).map((record) => record?.id)).toEqual(["a", "c"]);
  });
});

describe("a full disk", () => {
  const reserve = ({ directory }: Spool) => join(directory, "reserve");

  test("goes on in the preallocated reserve; nothing begins until there is room for another one", async () => {
    const spool = openSpool();
    expect(fs.statSync(reserve(spool)).size).toBe(reserveBytes);
    await spool.append("ADMIT", "a", "{}");
    await failWrites("ENOSPC", 1);
    await spool.append("FINAL", "a", "{}");
    expect(fs.existsSync(reserve(spool))).toBe(false);
    expect(recordsOf(spool).map((record) => record?.type)).toEqual(["ADMIT", "FINAL"]);
    // The file that was allocated before: its room cannot be taken by another writer.
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

  test("rejects what the reserve has no room for", async () => {
    const spool = openSpool();
    await spool.append("ADMIT", "a", "{}");
    await failWrites("ENOSPC", 2);
    await expect(spool.append("FINAL", "a", "{}")).rejects.toMatchObject({ code: "ENOSPC" });
    expect(recordsOf(spool).map((record) => record?.type)).toEqual(["ADMIT"]);
    await spool.append("FINAL", "a", "{}");
    await until(() => expect(recordsOf(spool).map((record) => record?.type)).toEqual(["FINAL"]));
  });

  test("keeps both segments until everything of the batch that was written twice is booked", async () => {
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

  test("at the start lets nothing begin", async () => {
    const spool = openSpool("process", undefined, Number.MAX_SAFE_INTEGER);
    await expect(spool.append("ADMIT", "a", "{}")).rejects.toThrow("The disk is full");
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
    await until(() => expect(filesOf(spool)).toEqual(["000002.spool"]));
    for (const id of ["d", "e"]) spool.release(id);
    expect(spool.pending()).toBe(0);
  });

  test("one that is booked while it is written to goes when it is full", async () => {
    const spool = openSpool("process", 300);
    for (const id of ["a", "b", "c"]) {
      await append(spool, id);
      spool.release(id);
    }
    expect(filesOf(spool)).toEqual(["000001.spool"]);
    await append(spool, "d");
    await until(() => expect(filesOf(spool)).toEqual(["000002.spool"]));
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

  test("the one with a generation's older record stays until the newer record is written, or for good when it is not", async () => {
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

  test("releasing what is unknown or twice changes nothing", async () => {
    const spool = openSpool();
    await append(spool, "a");
    spool.release("a");
    spool.release("a");
    spool.release("never");
    expect(spool.pending()).toBe(0);
  });
});

test("for a database that does not sync, what is booked is kept a while longer, over the end of the process too", async () => {
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

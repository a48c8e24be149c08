import fs from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "#test/directories.ts";
import { decoded, filesOf, openSpool } from "#test/spool-files.ts";
import { readRecords } from "./spool-reader.ts";
import { encodeRecord, RecordBuffer } from "./spool-record.ts";

describe("a record", () => {
  test("is read back as it was written, for any JSON", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.json(), fc.constantFrom("ADMIT", "PROGRESS", "FINAL"), (id, json, type) => {
        const line = encodeRecord(type, id, json);
        expect(line.endsWith("\n")).toBe(true);
        expect(line.slice(0, -1)).not.toContain("\n");
        expect(decoded(line.slice(0, -1))).toEqual({ type, id, json });
      }),
    );
  });

  test("shares a buffer with others of any length and any encoding width", () => {
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

  test("is not read when it was cut anywhere or any character was changed", () => {
    const line = encodeRecord("FINAL", "0190", '{"cost":"1"}').slice(0, -1);
    for (let at = 0; at < line.length; at++) {
      expect(decoded(line.slice(0, at))).toBeNull();
      expect(decoded(`${line.slice(0, at)}~${line.slice(at + 1)}`)).toBeNull();
    }
    expect(decoded(`${line} `)).toBeNull();
  });
});

/** Any character: line and paragraph separators, control characters, lone surrogates, astral characters. */
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

  test("after a cut at any byte returns every record before it and hands over the rest as unreadable", async () => {
    const jsons = fc.sample(anyText, { numRuns: 3, seed: 7 }).map((text) => JSON.stringify([text, "\u2028"]));
    const lines = jsons.map((json, at) => Buffer.from(encodeRecord("FINAL", `${at}`, json)));
    const all = Buffer.concat(lines);
    const ends = lines.map((_, at) => Buffer.concat(lines.slice(0, at + 1)).length);
    for (let cut = 0; cut <= all.length; cut++) {
      const { records, unreadable } = await readBack(all.subarray(0, cut));
      // A record is complete with its last byte; it does not need the line break.
      const complete = ends.filter((end) => end - 1 <= cut).length;
      expect(records.map(({ json }) => json)).toEqual(jsons.slice(0, complete));
      const from = complete === 0 ? 0 : (ends[complete - 1] ?? 0);
      const rest = all.subarray(from, Math.max(cut, from));
      expect(Buffer.concat(unreadable)).toEqual(rest);
    }
  });

  test("skips unwritten space of a preallocated segment before and after records", async () => {
    const line = Buffer.from(encodeRecord("FINAL", "a", "{}"));
    const room = Buffer.alloc(100_000);
    const { records, unreadable } = await readBack(
      Buffer.concat([line, room, line, line.subarray(0, 9), room]),
    );
    expect(records).toHaveLength(2);
    expect(unreadable).toEqual([line.subarray(0, 9)]);
  });

  test("reads records that are longer than one read", async () => {
    const json = JSON.stringify("\u2028".repeat(200_000));
    const { records } = await readBack(Buffer.from(encodeRecord("FINAL", "a", json).repeat(3)));
    expect(records.map((record) => record.json)).toEqual([json, json, json]);
  });
});

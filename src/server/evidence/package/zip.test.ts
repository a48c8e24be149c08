import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { crc32, inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryDirectory } from "#test/directories.ts";
import { type ZipContent, zipWriter } from "./zip.ts";

interface ZipFile {
  readonly name: string;
  readonly text: string;
}

const files = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[a-z]{1,8}(\/[a-zé]{1,8})?\.txt$/),
    text: fc.string({ unit: "grapheme", maxLength: 2_000 }),
  }),
  { selector: ({ name }) => name, maxLength: 6 },
);

async function archiveOf(
  given: readonly ZipFile[],
  contentOf: (text: string) => ZipContent = (text) => text,
): Promise<Buffer> {
  const written: Buffer[] = [];
  const zip = zipWriter(async (bytes) => void written.push(bytes));
  for (const { name, text } of given) await zip.add(name, contentOf(text));
  await zip.end();
  return Buffer.concat(written);
}

/** Reads an archive by its directory at the end, as programs do (APPNOTE.TXT 4.3.12). */
function read(archive: Buffer): ZipFile[] {
  const end = archive.length - 22;
  expect(archive.readUInt32LE(end)).toBe(0x06054b50);
  const found: ZipFile[] = [];
  for (let at = archive.readUInt32LE(end + 16); found.length < archive.readUInt16LE(end + 10); ) {
    expect(archive.readUInt32LE(at)).toBe(0x02014b50);
    const [packed, nameLength] = [archive.readUInt32LE(at + 20), archive.readUInt16LE(at + 28)];
    const local = archive.readUInt32LE(at + 42);
    expect(archive.readUInt32LE(local)).toBe(0x04034b50);
    const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    // The descriptor after the content says the same as the directory.
    expect(archive.readUInt32LE(from + packed)).toBe(0x08074b50);
    expect(archive.subarray(from + packed + 4, from + packed + 16)).toEqual(
      archive.subarray(at + 16, at + 28),
    );
    const content = inflateRawSync(archive.subarray(from, from + packed));
    expect([archive.readUInt32LE(at + 16), archive.readUInt32LE(at + 24)]).toEqual([
      ...[crc32(content), content.length],
    ]);
    found.push({
      name: archive.toString("utf8", at + 46, at + 46 + nameLength),
      text: content.toString(),
    });
    at += 46 + nameLength;
  }
  return found;
}

test("an archive has the files that it was made of, and is the same bytes again, also from pieces", async () => {
  await fc.assert(
    fc.asyncProperty(files, fc.integer({ min: 1, max: 500 }), async (given, length) => {
      const archive = await archiveOf(given);
      expect(read(archive)).toEqual(
        given.map(({ name, text }) => ({ name, text: Buffer.from(text).toString() })),
      );
      expect((await archiveOf(given)).equals(archive)).toBe(true);
      const inPieces = await archiveOf(given, (text) =>
        Readable.from([...text.matchAll(new RegExp(`.{1,${length}}`, "gsu"))].map(([piece]) => piece)),
      );
      expect(read(inPieces)).toEqual(read(archive));
    }),
  );
});

test("what cannot be read or stored fails the archive", async () => {
  const failing = async function* () {
    yield "a";
    throw new Error("cannot be read");
  };
  await expect(archiveOf([{ name: "a", text: "" }], failing)).rejects.toThrow("cannot be read");
  const zip = zipWriter(() => Promise.reject(new Error("cannot be stored")));
  await expect(zip.add("a", "a")).rejects.toThrow("cannot be stored");
});

const python = (() => {
  try {
    execFileSync("python3", ["--version"]);
    return true;
  } catch {
    return false;
  }
})();

test.runIf(python)("another program reads it, and finds no wrong checksum", async () => {
  const file = join(temporaryDirectory(), "a.zip");
  writeFileSync(
    file,
    await archiveOf([
      { name: "é/a.txt", text: "Ärger".repeat(1_000) },
      { name: "b.txt", text: "" },
    ]),
  );
  const program =
    "import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); print(z.testzip(), z.namelist(), len(z.read('b.txt')))";
  expect(execFileSync("python3", ["-c", program, file], { encoding: "utf8" }).trim()).toBe(
    "None ['é/a.txt', 'b.txt'] 0",
  );
});

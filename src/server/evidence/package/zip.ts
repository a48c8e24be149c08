import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createDeflateRaw } from "node:zlib";

/** The content of a file: all of it, or one piece after the other. */
export type ZipContent = string | Buffer | AsyncIterable<string>;

/** Writes an archive, one file after the other. */
export interface ZipWriter {
  add(name: string, content: ZipContent): Promise<void>;
  /** Writes the directory of the files. */
  end(): Promise<void>;
}

const versionNeeded = 20;
/** Names are UTF-8; checksum and lengths follow the content, because they are not known before. */
const flags = 0x0800 | 0x0008;
const deflated = 8;
/** 1 January 1980, the first day of the format: archives of the same files are the same bytes. */
const firstDay = 0x0021;

const signature = (digits: string): Buffer => Buffer.from(digits, "hex");
const header = signature("504b0304");
const entry = Buffer.concat([signature("504b0102"), Buffer.of(versionNeeded, 0)]);
const descriptor = signature("504b0708");
const directoryEnd = signature("504b0506");

/** Checksum, and lengths in bytes. */
interface Sums {
  readonly checksum: number;
  readonly packed: number;
  readonly unpacked: number;
}
const unknown: Sums = { checksum: 0, packed: 0, unpacked: 0 };

function sumsField({ checksum, packed, unpacked }: Sums): Buffer {
  const field = Buffer.alloc(12);
  field.writeUInt32LE(checksum, 0);
  field.writeUInt32LE(packed, 4);
  field.writeUInt32LE(unpacked, 8);
  return field;
}

/** What the header of a file and its entry in the directory have in common, from "version needed" to the lengths. */
function fieldsOf(name: Buffer, sums: Sums): Buffer {
  const [before, after] = [Buffer.alloc(10), Buffer.alloc(4)];
  before.writeUInt16LE(versionNeeded, 0);
  before.writeUInt16LE(flags, 2);
  before.writeUInt16LE(deflated, 4);
  before.writeUInt16LE(firstDay, 8);
  after.writeUInt16LE(name.length, 0);
  return Buffer.concat([before, sumsField(sums), after]);
}

/** Comment, disk, attributes: all zero; then where the file begins. */
function placeOf(at: number): Buffer {
  const place = Buffer.alloc(14);
  place.writeUInt32LE(at, 10);
  return place;
}

function endOf(count: number, size: number, at: number): Buffer {
  const end = Buffer.alloc(18);
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([directoryEnd, end]);
}

const piecesOf = (content: ZipContent): Iterable<string | Buffer> | AsyncIterable<string> =>
  typeof content === "string" || Buffer.isBuffer(content) ? [content] : content;

/** Compresses a content piece by piece and hands it on. Returns its checksum and lengths. */
async function deflate(content: ZipContent, write: (packed: Buffer) => Promise<void>): Promise<Sums> {
  let [checksum, packed, unpacked] = [0, 0, 0];
  async function* counted() {
    for await (const piece of piecesOf(content)) {
      const bytes = Buffer.from(piece);
      checksum = crc32(bytes, checksum);
      unpacked += bytes.length;
      yield bytes;
    }
  }
  await pipeline(Readable.from(counted()), createDeflateRaw(), async (output: AsyncIterable<Buffer>) => {
    for await (const bytes of output) {
      packed += bytes.length;
      await write(bytes);
    }
  });
  return { checksum, packed, unpacked };
}

/**
 * Writes a ZIP archive (APPNOTE.TXT 6.3.3) of less than 65,536 files and 4 GiB to `write`, which gets its bytes in
 * order. The same files make the same bytes.
 */
export function zipWriter(write: (bytes: Buffer) => Promise<void>): ZipWriter {
  const directory: Buffer[] = [];
  let [count, at] = [0, 0];
  const put = async (bytes: Buffer) => {
    at += bytes.length;
    await write(bytes);
  };
  return {
    async add(name, content) {
      const [nameBytes, begin] = [Buffer.from(name), at];
      await put(Buffer.concat([header, fieldsOf(nameBytes, unknown), nameBytes]));
      const sums = await deflate(content, put);
      await put(Buffer.concat([descriptor, sumsField(sums)]));
      directory.push(entry, fieldsOf(nameBytes, sums), placeOf(begin), nameBytes);
      count += 1;
    },
    async end() {
      const listed = Buffer.concat(directory);
      await put(Buffer.concat([listed, endOf(count, listed.length, at)]));
    },
  };
}

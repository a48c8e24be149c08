import { promisify } from "node:util";
import { constants, crc32, deflateRaw } from "node:zlib";

const deflate = promisify(deflateRaw);

/** A file of an archive. */
export interface ZipFile {
  readonly name: string;
  readonly text: string;
}

const versionNeeded = 20;
const utf8Names = 0x0800;
const deflated = 8;
/** 1 January 1980, the first day of the format: archives of the same files are the same bytes. */
const firstDay = 0x0021;

/** What the header of a file and its entry in the directory have in common, from "version needed" to the lengths. */
function fieldsOf(name: Buffer, content: Buffer, packed: Buffer): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(versionNeeded, 0);
  fields.writeUInt16LE(utf8Names, 2);
  fields.writeUInt16LE(deflated, 4);
  fields.writeUInt16LE(firstDay, 8);
  fields.writeUInt32LE(crc32(content), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(content.length, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
}

const signature = (digits: string): Buffer => Buffer.from(digits, "hex");
const header = signature("504b0304");
const entry = Buffer.concat([signature("504b0102"), Buffer.of(versionNeeded, 0)]);
const directoryEnd = signature("504b0506");

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

/** A ZIP archive (APPNOTE.TXT 6.3.3) of less than 65,536 files and 4 GiB. The same files make the same bytes. */
export async function zipOf(files: readonly ZipFile[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, text } of files) {
    const [nameBytes, content] = [Buffer.from(name), Buffer.from(text)];
    const packed = await deflate(content, { level: constants.Z_BEST_COMPRESSION });
    const fields = fieldsOf(nameBytes, content, packed);
    parts.push(header, fields, nameBytes, packed);
    directory.push(entry, fields, placeOf(at), nameBytes);
    at += header.length + fields.length + nameBytes.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  return Buffer.concat([...parts, listed, endOf(files.length, listed.length, at)]);
}

import { inflateRawSync } from "node:zlib";

/** The text of the files of an archive in base64, by name. */
export function unzipped(content: string): Record<string, string> {
  const archive = Buffer.from(content, "base64");
  const files: Record<string, string> = {};
  for (let place = archive.readUInt32LE(archive.length - 6); archive.readUInt32LE(place) === 0x02014b50; ) {
    const [packed, nameLength, local] = [
      archive.readUInt32LE(place + 20),
      archive.readUInt16LE(place + 28),
      archive.readUInt32LE(place + 42),
    ];
    const from = local + 30 + archive.readUInt16LE(local + 26);
    const name = archive.toString("utf8", place + 46, place + 46 + nameLength);
    files[name] = inflateRawSync(archive.subarray(from, from + packed)).toString();
    place += 46 + nameLength;
  }
  return files;
}

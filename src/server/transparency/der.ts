/** A value of ASN.1 in DER (ITU-T X.690), with its place in the bytes that were read. */
export interface Der {
  readonly tag: number;
  readonly content: Buffer;
  /** With tag and length. */
  readonly all: Buffer;
}

/** Tags of the types that are needed here. `context` is [number], constructed. */
export const asn1 = {
  ...{ boolean: 0x01, integer: 0x02, octets: 0x04, null: 0x05, oid: 0x06 },
  ...{ generalizedTime: 0x18, sequence: 0x30, set: 0x31 },
  context: (number: number) => 0xa0 + number,
} as const;

/** The bytes are not DER, or not of the structure that was expected. */
export class NotDer extends Error {}

const lengthBytesMax = 4;

/** The length of a value, and how many bytes it is written in. */
function readLength(bytes: Buffer, at: number): { length: number; size: number } {
  const first = bytes[at];
  if (first === undefined) throw new NotDer("A value has no length");
  if (first < 0x80) return { length: first, size: 1 };
  const size = first - 0x80;
  if (size === 0 || size > lengthBytesMax || at + size >= bytes.length)
    throw new NotDer("A length is not valid");
  return { length: bytes.readUIntBE(at + 1, size), size: 1 + size };
}

/** The values that follow each other in some bytes. Throws `NotDer`. */
export function derValues(bytes: Buffer): Der[] {
  const values: Der[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { length, size } = readLength(bytes, at + 1);
    const start = at + 1 + size;
    const end = start + length;
    if (end > bytes.length) throw new NotDer("A value is cut off");
    values.push({
      tag: bytes[at] as number,
      content: bytes.subarray(start, end),
      all: bytes.subarray(at, end),
    });
    at = end;
  }
  return values;
}

/** The value with a tag, at a position if one is given, otherwise the first. Throws `NotDer`. */
export function derOf(values: readonly Der[], tag: number, at?: number): Der {
  const found = at === undefined ? values.find((value) => value.tag === tag) : values[at];
  if (found?.tag !== tag) throw new NotDer(`A value of the type ${tag.toString(16)} is missing`);
  return found;
}

/** Writes a value in DER. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 0x80) return Buffer.concat([Buffer.of(tag, content.length), content]);
  const length = Buffer.from(content.length.toString(16).padStart(content.length > 0xff ? 4 : 2, "0"), "hex");
  return Buffer.concat([Buffer.of(tag, 0x80 + length.length), length, content]);
}

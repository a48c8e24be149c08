import { malformed } from "../pipeline/failures.ts";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const space = 0x20;
/** Digits, signs, commas and white space come before this code, brackets after it. */
const nine = 0x39;
const closingBracket = 0x5d;
const isOpening = (byte: number): boolean => byte === 0x5b || byte === 0x7b;
const isSpace = (byte: number | undefined): boolean =>
  byte === space || byte === 0x0a || byte === 0x0d || byte === 0x09;
const isClosing = (byte: number): boolean => byte === closingBracket || byte === 0x7d;

/**
 * Splits the elements of one array out of a JSON object while its text arrives, so that nothing long is parsed at
 * once. Elements are objects or arrays. Each is returned as text for the receiver to parse: the splitter only checks
 * that they form a list. Throws `AttemptError`.
 */
export class ElementSplitter {
  readonly #opening: string;
  readonly #bytesMax: number;
  readonly #receive: (text: string) => void;
  /** Whether elements are being read, and what may come between two of them. */
  #listed: "first" | "next" | "behind" | null = null;
  /** The depth of open objects and arrays: around the array, or inside of an element. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The beginning of the current member of the object. */
  #member = "";
  #rest: Buffer[] = [];
  #element: Buffer[] = [];
  #heldBytes = 0;

  /** `bytesMax` limits each element, and everything around them together. */
  constructor(name: string, bytesMax: number, receive: (text: string) => void) {
    this.#opening = `${JSON.stringify(name)}:[`;
    this.#bytesMax = bytesMax;
    this.#receive = receive;
  }

  feed(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) at = this.#listed ? this.#readList(chunk, at) : this.#readAround(chunk, at);
  }

  /** The rest besides the elements: the object with an empty array, or whatever came instead. */
  end(): string {
    // A truncated array is not closed, so that the rest is invalid JSON too.
    return Buffer.concat(this.#rest).toString();
  }

  /** True for a byte inside of a string, including its closing quote. */
  #skip(byte: number): boolean {
    if (!this.#inString) return false;
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else if (byte === quote) this.#inString = false;
    return true;
  }

  /** Reads to the bracket that opens the array. Returns the position after it. */
  #readAround(chunk: Buffer, begin: number): number {
    // Some providers send white space until their answer is ready: it is reduced to one byte per chunk.
    let from = begin;
    if (!this.#inString) while (isSpace(chunk[from]) && isSpace(chunk[from + 1])) from++;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      const direct = this.#depth === 1;
      if (this.#skip(byte)) {
        if (direct) this.#note(byte);
      } else if (byte > space) {
        if (direct) this.#note(byte);
        if (byte === quote) this.#inString = true;
        else if (isOpening(byte)) this.#depth++;
        else if (isClosing(byte)) this.#depth--;
        else if (direct && byte === comma) this.#member = "";
        if (this.#depth === 1 && !direct) this.#member = "";
        if (direct && this.#member === this.#opening) {
          this.#listed = "first";
          this.#depth = 0;
          this.#member = "";
          this.#keep(this.#rest, chunk.subarray(from, at + 1));
          return at + 1;
        }
      }
    }
    this.#keep(this.#rest, chunk.subarray(from));
    return chunk.length;
  }

  #note(byte: number): void {
    if (this.#member.length < this.#opening.length) this.#member += String.fromCharCode(byte);
    // A longer text is not the name of the array.
    else this.#member = `${this.#opening} `;
  }

  /** Reads one element, or the text between two. */
  #readList(chunk: Buffer, from: number): number {
    if (this.#depth > 0) return this.#readElement(chunk, from);
    const byte = chunk[from] as number;
    if (byte <= space) return from + 1;
    if (isOpening(byte) && this.#listed !== "behind") return this.#readElement(chunk, from);
    if (byte === comma && this.#listed === "behind") {
      this.#listed = "next";
      return from + 1;
    }
    if (byte !== closingBracket || this.#listed === "next") throw malformed("it is not JSON", 200);
    this.#listed = null;
    this.#depth = 2;
    return from;
  }

  #readElement(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#skip(byte)) continue;
      if (byte === quote) this.#inString = true;
      else if (byte <= nine) continue;
      else if (isOpening(byte)) this.#depth++;
      else if (isClosing(byte) && --this.#depth === 0) {
        this.#keep(this.#element, chunk.subarray(from, at + 1));
        this.#deliver();
        return at + 1;
      }
    }
    this.#keep(this.#element, chunk.subarray(from));
    return chunk.length;
  }

  #deliver(): void {
    const pieces = this.#element;
    const complete = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    this.#element = [];
    this.#heldBytes -= complete.length;
    this.#listed = "behind";
    this.#receive(complete.toString());
  }

  #keep(pieces: Buffer[], piece: Buffer): void {
    pieces.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes > this.#bytesMax) throw malformed("a part of it is too long", 200);
  }
}

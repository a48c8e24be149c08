import { jsonByte } from "./json-byte.ts";

/** Limits of a JSON text, independent of its schema. */
export interface JsonBounds {
  /** Objects and arrays within each other. */
  readonly depthMax: number;
  /** Elements of all arrays and members of all objects together. */
  readonly elementsMax: number;
  /** Objects and arrays together. */
  readonly containersMax: number;
  /** Members of all objects together. */
  readonly keysMax: number;
}

/** The bound that a text exceeds, as words after its subject: "may have 10000 keys at most". */
export class JsonBoundError extends Error {
  override readonly name = "JsonBoundError";
}

const { backslash, closeBrace, closeBracket, colon, comma, letterU, openBrace, openBracket, quote } =
  jsonByte;

/** Where the bytes so far end: outside a string, inside one, after a backslash, or in the digits of `\uXXXX`. */
type Place = "outside" | "string" | "escape" | "digits";

/** This much of a string is read byte by byte. In a longer one, the next relevant byte is searched with `indexOf`. */
const shortBytes = 32;

/** Memory that V8 needs for an element, and for an object or array. */
const elementBytes = 8;
const containerBytes = 64;

/** The value of a hexadecimal digit. For other bytes a value that is not a character. */
const digitValue = (byte: number): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : 0x10000;
};

/**
 * Counts the elements of a JSON text while its bytes arrive, in one pass, so that no text beyond the limits is parsed.
 * It does not check whether the text is valid JSON.
 */
export class JsonGuard {
  /** Members of all objects so far. Repeated names count each time. */
  keys = 0;
  /** Whether a string holds an escaped U+0000 or half of a surrogate pair, which PostgreSQL cannot store. */
  hasUnstorable = false;
  readonly #bounds: JsonBounds;
  #place: Place = "outside";
  #depth = 0;
  #elements = 0;
  #containers = 0;
  #digits = 0;
  #code = 0;
  /** Whether the previous character is the first half of a surrogate pair. */
  #afterHigh = false;
  /** The next position of each, so that no byte is searched twice. */
  #quoteAt = -1;
  #backslashAt = -1;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
  }

  /** Counts the next bytes. Throws `JsonBoundError` as soon as a bound is exceeded. */
  feed(bytes: Buffer): void {
    this.#quoteAt = -1;
    this.#backslashAt = -1;
    const end = bytes.length;
    let at = this.#place === "outside" ? 0 : this.#readString(bytes, 0);
    while (at < end) {
      const byte = bytes[at++] as number;
      if (byte === quote) at = this.#readString(bytes, at);
      else if (byte === comma) {
        if (++this.#elements > this.#bounds.elementsMax) this.#tooMany("elements", this.#bounds.elementsMax);
      } else if (byte === colon) {
        if (++this.keys > this.#bounds.keysMax) this.#tooMany("keys", this.#bounds.keysMax);
      } else if (byte >= openBracket) {
        if (byte === openBracket || byte === openBrace) this.#open();
        else if (byte === closeBracket || byte === closeBrace) this.#depth--;
      }
    }
  }

  /** Resets the counters for the next text. */
  reset(): void {
    this.endLine();
    this.#depth = 0;
    this.#elements = 0;
    this.#containers = 0;
    this.keys = 0;
  }

  /** No string goes on behind the end of a line. */
  endLine(): void {
    this.#place = "outside";
    this.#afterHigh = false;
  }

  /** About how many bytes a parser needs for the value besides its strings. */
  valueBytes(): number {
    return this.#elements * elementBytes + this.#containers * containerBytes;
  }

  #open(): void {
    const { depthMax, containersMax } = this.#bounds;
    if (++this.#depth > depthMax) throw new JsonBoundError(`may be nested ${depthMax} levels deep at most`);
    if (++this.#containers > containersMax) this.#tooMany("objects and arrays", containersMax);
  }

  #tooMany(what: string, max: number): never {
    throw new JsonBoundError(`may have ${max} ${what} at most`);
  }

  /** Reads on in a string. Returns where what is behind it begins, or the end of the bytes. */
  #readString(bytes: Buffer, from: number): number {
    const end = bytes.length;
    let at = from;
    if (this.#place === "escape" || this.#place === "digits") at = this.#readEscape(bytes, at);
    else this.#place = "string";
    while (at < end) {
      if (this.#afterHigh && bytes[at] !== backslash) this.#broken();
      const short = at + shortBytes;
      while (at < end && at < short && bytes[at] !== quote && bytes[at] !== backslash) at++;
      if (at === short) at = this.#search(bytes, at);
      if (at >= end) return end;
      if (bytes[at] === quote) {
        this.#place = "outside";
        return at + 1;
      }
      this.#place = "escape";
      at = this.#readEscape(bytes, at + 1);
    }
    return end;
  }

  /** Where the next quote or backslash is, or the end of the bytes. */
  #search(bytes: Buffer, at: number): number {
    const next = (byte: number): number => {
      const found = bytes.indexOf(byte, at);
      return found === -1 ? bytes.length : found;
    };
    if (this.#quoteAt < at) this.#quoteAt = next(quote);
    if (this.#backslashAt < at) this.#backslashAt = next(backslash);
    return Math.min(this.#quoteAt, this.#backslashAt);
  }

  /** Reads what follows a backslash, as far as it is there. Returns where what is behind it begins. */
  #readEscape(bytes: Buffer, from: number): number {
    let at = from;
    if (this.#place === "escape" && at < bytes.length) {
      if (bytes[at++] !== letterU) {
        if (this.#afterHigh) this.#broken();
        this.#place = "string";
        return at;
      }
      this.#place = "digits";
      this.#digits = 0;
      this.#code = 0;
    }
    if (this.#place !== "digits") return at;
    while (at < bytes.length && this.#digits < 4) {
      this.#code = this.#code * 16 + digitValue(bytes[at++] as number);
      this.#digits++;
    }
    if (this.#digits === 4) this.#judge(this.#code);
    return at;
  }

  #judge(code: number): void {
    this.#place = "string";
    const isLow = code >= 0xdc00 && code <= 0xdfff;
    if (code === 0 || isLow !== this.#afterHigh) this.#broken();
    this.#afterHigh = code >= 0xd800 && code <= 0xdbff;
  }

  #broken(): void {
    this.hasUnstorable = true;
    this.#afterHigh = false;
  }
}

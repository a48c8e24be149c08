import { setImmediate as nextTurn } from "node:timers/promises";
import { jsonByte } from "./json-byte.ts";
import { limits } from "./limits.ts";

const { backslash, closeBrace, closeBracket, colon, comma, letterU, openBrace, openBracket, quote } =
  jsonByte;

/** Within this distance quotes are searched byte by byte, beyond it with `indexOf`. */
const nearBytes = 32;

/** The text is invalid JSON from this byte on. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
  readonly offset: number;
  constructor(offset: number) {
    super(`Invalid JSON at byte ${offset}`);
    this.offset = offset;
  }
}

/** An object has a name twice, or the name `__proto__`. */
export class JsonNameError extends Error {
  override readonly name = "JsonNameError";
  readonly path: readonly (string | number)[];
  constructor(path: readonly (string | number)[]) {
    super(`The name ${path.join(".")} is repeated or reserved`);
    this.path = path;
  }
}

interface OpenArray {
  readonly array: unknown[];
}
interface OpenObject {
  readonly array: null;
  readonly object: Record<string, unknown>;
  /** The name whose value comes next. */
  name: string;
}

/** What may come next. */
type Wanted = "value" | "value or ]" | "name" | "name or }" | "colon" | "comma or end" | "nothing";

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
/** What may follow a number or a word. */
const endsToken = (byte: number | undefined): boolean =>
  byte === comma || byte === closeBracket || byte === closeBrace || isSpace(byte);

/** Parses a JSON text step by step. V8's parser parses strings and numbers; only the structure is parsed here. */
class StepReader {
  readonly #bytes: Buffer;
  readonly #open: (OpenArray | OpenObject)[] = [];
  #at = 0;
  #wanted: Wanted = "value";
  #value: unknown;
  /** The parts of a string that is longer than a step. */
  #parts: string[] | null = null;
  #quoteAt = -1;
  #backslashAt = -1;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Continues for about this many bytes. Returns whether everything was read. */
  step(stepBytes: number): boolean {
    const end = this.#bytes.length;
    const stop = this.#at + stepBytes;
    while (this.#at < end) {
      if (this.#at >= stop) return false;
      if (this.#parts) this.#string(stop);
      else if (isSpace(this.#bytes[this.#at])) this.#at++;
      else this.#token(stop);
    }
    if (this.#wanted !== "nothing" || this.#parts) throw this.#error();
    return true;
  }

  value(): unknown {
    return this.#value;
  }

  #error(): JsonSyntaxError {
    return new JsonSyntaxError(this.#at);
  }

  #token(stop: number): void {
    const byte = this.#bytes[this.#at] as number;
    switch (this.#wanted) {
      case "nothing":
        throw this.#error();
      case "colon":
        if (byte !== colon) throw this.#error();
        this.#at++;
        this.#wanted = "value";
        return;
      case "comma or end":
        this.#commaOrEnd(byte);
        return;
      case "name or }":
        if (byte === closeBrace) {
          this.#close();
          return;
        }
        this.#beginString(byte, stop);
        return;
      case "name":
        this.#beginString(byte, stop);
        return;
      default:
        this.#beginValue(byte, stop);
    }
  }

  #commaOrEnd(byte: number): void {
    const inner = this.#open.at(-1);
    if (byte === comma) {
      this.#at++;
      this.#wanted = inner?.array ? "value" : "name";
    } else if (byte === (inner?.array ? closeBracket : closeBrace)) this.#close();
    else throw this.#error();
  }

  #beginValue(byte: number, stop: number): void {
    if (byte === quote) this.#beginString(byte, stop);
    else if (byte === openBracket) this.#begin({ array: [] }, "value or ]");
    else if (byte === openBrace) this.#begin({ array: null, object: {}, name: "" }, "name or }");
    else if (byte === closeBracket && this.#wanted === "value or ]") this.#close();
    else this.#word();
  }

  #begin(open: OpenArray | OpenObject, wanted: Wanted): void {
    this.#open.push(open);
    this.#wanted = wanted;
    this.#at++;
  }

  #close(): void {
    const closed = this.#open.pop();
    this.#at++;
    if (closed) this.#take(closed.array ?? closed.object);
  }

  /** Adds a complete value to its parent. */
  #take(value: unknown): void {
    const inner = this.#open.at(-1);
    if (!inner) {
      this.#value = value;
      this.#wanted = "nothing";
      return;
    }
    if (inner.array) inner.array.push(value);
    else inner.object[inner.name] = value;
    this.#wanted = "comma or end";
  }

  #takeName(name: string): void {
    const inner = this.#open.at(-1);
    if (!inner || inner.array) throw this.#error();
    if (name === "__proto__" || Object.hasOwn(inner.object, name))
      throw new JsonNameError(this.#pathOf(name));
    inner.name = name;
    this.#wanted = "colon";
  }

  #pathOf(name: string): (string | number)[] {
    return [...this.#open.slice(0, -1).map((one) => (one.array ? one.array.length : one.name)), name];
  }

  /** A number, or one of the three words. */
  #word(): void {
    let end = this.#at;
    while (end < this.#bytes.length && !endsToken(this.#bytes[end])) end++;
    const value = this.#parse(this.#bytes.toString("latin1", this.#at, end));
    this.#at = end;
    this.#take(value);
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw this.#error();
    }
  }

  #beginString(byte: number, stop: number): void {
    if (byte !== quote) throw this.#error();
    this.#at++;
    this.#parts = [];
    this.#string(stop);
  }

  /** Continues in a string, up to its end or to the end of the step. */
  #string(stop: number): void {
    const end = this.#bytes.length;
    let at = this.#at;
    // A step ends after a character, never inside one.
    const partEnd = Math.min(end, Math.max(stop, at + 1));
    while (at < partEnd) {
      const next = this.#nextSpecial(at);
      if (next >= partEnd) {
        at = partEnd;
        while (at < end && isContinuation(this.#bytes[at])) at++;
        break;
      }
      if (this.#bytes[next] === quote) {
        this.#takePart(next);
        this.#at = next + 1;
        this.#endString();
        return;
      }
      at = next + (this.#bytes[next + 1] === letterU ? 6 : 2);
    }
    if (at > end) throw this.#error();
    this.#takePart(at);
    this.#at = at;
  }

  #takePart(end: number): void {
    // V8's parser checks the characters and escapes.
    const part = this.#parse(`"${this.#bytes.toString("utf8", this.#at, end)}"`);
    this.#parts?.push(part as string);
  }

  #endString(): void {
    const parts = this.#parts ?? [];
    const text = parts.length === 1 ? (parts[0] as string) : parts.join("");
    this.#parts = null;
    if (this.#wanted === "name" || this.#wanted === "name or }") this.#takeName(text);
    else this.#take(text);
  }

  /** The position of the next quote or backslash. No byte is searched twice. */
  #nextSpecial(from: number): number {
    let at = from;
    const near = Math.min(this.#bytes.length, from + nearBytes);
    while (at < near && this.#bytes[at] !== quote && this.#bytes[at] !== backslash) at++;
    if (at < near) return at;
    if (this.#quoteAt < at) this.#quoteAt = this.#find(quote, at);
    if (this.#backslashAt < at) this.#backslashAt = this.#find(backslash, at);
    return Math.min(this.#quoteAt, this.#backslashAt);
  }

  #find(byte: number, at: number): number {
    const found = this.#bytes.indexOf(byte, at);
    return found === -1 ? this.#bytes.length : found;
  }
}

/**
 * Parses a JSON text as `JSON.parse` does, with yields so that other requests run in between. For long texts whose depth
 * and number of elements are bounded. Throws `JsonSyntaxError`, and `JsonNameError` for a repeated name.
 */
export async function parseWithYields(
  bytes: Buffer,
  stepBytes: number = limits.stream.yieldEveryBytes,
): Promise<unknown> {
  const reader = new StepReader(bytes);
  while (!reader.step(stepBytes)) await nextTurn();
  return reader.value();
}

interface Place {
  readonly line: number;
  readonly column: number;
}

const backslash = 0x5c;
const quote = 0x22;
const letterU = 0x75;
/** The characters after a backslash, except `u`. */
const escapes = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)));
const words: Record<string, string> = { t: "true", f: "false", n: "null" };

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isHex = (code: number): boolean => isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);

/** The first offset from `at` on whose character does not match `fits`. */
function skip(text: string, at: number, fits: (code: number) => boolean): number {
  let next = at;
  while (next < text.length && fits(text.charCodeAt(next))) next++;
  return next;
}

/** The end of the valid part of a number at `at`; `at` itself if there is none. */
function numberEnd(text: string, at: number): number {
  const digits = text.charCodeAt(at) === 0x2d ? at + 1 : at;
  let end = text.charCodeAt(digits) === 0x30 ? digits + 1 : skip(text, digits, isDigit);
  if (end === digits) return at;
  if (text[end] === ".") {
    const fraction = skip(text, end + 1, isDigit);
    if (fraction > end + 1) end = fraction;
  }
  if (text[end] === "e" || text[end] === "E") {
    const sign = text[end + 1] === "+" || text[end + 1] === "-" ? end + 2 : end + 1;
    const exponent = skip(text, sign, isDigit);
    if (exponent > sign) end = exponent;
  }
  return end;
}

/** The end of the escape at `at`; `at` itself if it is invalid. */
function escapeEnd(text: string, at: number): number {
  const kind = text.charCodeAt(at + 1);
  if (kind !== letterU) return escapes.has(kind) ? at + 2 : at;
  for (let digit = at + 2; digit < at + 6; digit++) if (!isHex(text.charCodeAt(digit))) return at;
  return at + 6;
}

/** The end of the string that starts at `at`, or the place of its error, as `broken`. */
function stringEnd(text: string, at: number): { next: number; broken: boolean } {
  let next = at + 1;
  while (next < text.length) {
    const code = text.charCodeAt(next);
    if (code === quote) return { next: next + 1, broken: false };
    if (code < 0x20) break;
    if (code !== backslash) next++;
    else {
      const after = escapeEnd(text, next);
      if (after === next) break;
      next = after;
    }
  }
  return { next, broken: true };
}

type Wanted = "value" | "value or ]" | "key" | "key or }" | "colon" | "comma or close";

/** The offset of the first unexpected character. The text must be invalid JSON. */
function offsetOfError(text: string): number {
  const open: ("{" | "[")[] = [];
  let wanted: Wanted = "value";
  for (let at = skip(text, 0, isSpace); at < text.length; at = skip(text, at, isSpace)) {
    const character = text[at];
    const container = open.at(-1);
    const wantsKey: boolean = wanted.startsWith("key");
    const closes: boolean =
      (character === "}" && container === "{" && (wanted === "key or }" || wanted === "comma or close")) ||
      (character === "]" && container === "[" && (wanted === "value or ]" || wanted === "comma or close"));
    if (closes) {
      open.pop();
      wanted = "comma or close";
      at++;
    } else if (wanted === "comma or close") {
      if (character !== "," || container === undefined) return at;
      wanted = container === "{" ? "key" : "value";
      at++;
    } else if (wanted === "colon") {
      if (character !== ":") return at;
      wanted = "value";
      at++;
    } else if (character === '"') {
      const { next, broken } = stringEnd(text, at);
      if (broken) return next;
      wanted = wantsKey ? "colon" : "comma or close";
      at = next;
    } else if (wantsKey) {
      return at;
    } else if (character === "{" || character === "[") {
      open.push(character);
      wanted = character === "{" ? "key or }" : "value or ]";
      at++;
    } else {
      const word = words[character ?? ""] ?? "";
      let next = numberEnd(text, at);
      while (next - at < word.length) {
        if (text[next] !== word[next - at]) return next;
        next++;
      }
      if (next === at) return at;
      wanted = "comma or close";
      at = next;
    }
  }
  return text.length;
}

/**
 * Line and column, from 1, of the first error in a text `JSON.parse` refused. V8 reports the place of some errors
 * only. One pass without recursion.
 */
export function placeOfJsonError(text: string): Place {
  const offset = offsetOfError(text);
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", lineStart)) {
    line++;
    lineStart = at + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

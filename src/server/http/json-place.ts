interface Place {
  readonly line: number;
  readonly column: number;
}

const whiteSpace = /[ \t\r\n]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const words: Record<string, string> = { t: "true", f: "false", n: "null" };
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Where `pattern` stops matching at `at`; `at` itself when it does not match there. */
function end(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** The end of the string that opens at `at`, or what breaks it, as `broken`. */
function stringEnd(text: string, at: number): { next: number; broken: boolean } {
  let next = at + 1;
  while (next < text.length) {
    const code = text.charCodeAt(next);
    if (code === 0x22) return { next: next + 1, broken: false };
    if (code < 0x20) break;
    if (code !== 0x5c) next++;
    else {
      const after = end(escaped, text, next);
      if (after === next) break;
      next = after;
    }
  }
  return { next, broken: true };
}

type Wanted = "value" | "value or ]" | "key" | "key or }" | "colon" | "comma or close";

/** The offset of the first character that cannot stand where it does. The text is known not to be JSON. */
function offsetOfError(text: string): number {
  const open: ("{" | "[")[] = [];
  let wanted: Wanted = "value";
  for (let at = end(whiteSpace, text, 0); at < text.length; at = end(whiteSpace, text, at)) {
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
      let next = end(number, text, at);
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
 * Line and column, from 1, of the first error in a text `JSON.parse` refused. V8 tells the place of some errors
 * only. Walks without recursion and in one pass.
 */
export function placeOfJsonError(text: string): Place {
  const before = text.slice(0, offsetOfError(text));
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: before.length - lineStart + 1 };
}

/** An open object or array. An object has the names so far, an array only a position. */
interface Open {
  readonly names: Set<string> | null;
  name: string | number;
}

const backslash = 0x5c;
const quote = 0x22;

/** The offset after the quote that closes the string at `at`. */
function stringEnd(text: string, at: number): number {
  let next = at + 1;
  while (text.charCodeAt(next) !== quote) next += text.charCodeAt(next) === backslash ? 2 : 1;
  return next + 1;
}

/** Only names of members are followed by a colon. */
function isName(text: string, at: number): boolean {
  let next = at;
  while (text.charCodeAt(next) <= 0x20) next++;
  return text[next] === ":";
}

/** The path of the first name that an object has twice, in valid JSON; null if there is none. */
export function repeatedName(text: string): readonly (string | number)[] | null {
  const open: Open[] = [];
  let at = 0;
  while (at < text.length) {
    const inner = open.at(-1);
    switch (text[at]) {
      case '"': {
        const end = stringEnd(text, at);
        if (inner?.names && isName(text, end)) {
          const name: string = JSON.parse(text.slice(at, end));
          inner.name = name;
          if (inner.names.has(name)) return open.map((one) => one.name);
          inner.names.add(name);
        }
        at = end;
        break;
      }
      case "{":
        open.push({ names: new Set(), name: "" });
        at++;
        break;
      case "[":
        open.push({ names: null, name: 0 });
        at++;
        break;
      case "}":
      case "]":
        open.pop();
        at++;
        break;
      case ",":
        if (typeof inner?.name === "number") inner.name++;
        at++;
        break;
      default:
        at++;
    }
  }
  return null;
}

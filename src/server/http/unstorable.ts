/** The path from a value to one inside it. */
export type JsonPath = readonly (string | number)[];

/** Characters that PostgreSQL cannot store in a text. */
export type Unstorable = "nul" | "surrogate";

interface Found {
  readonly what: Unstorable;
  /** The path of the text; for a name, of the object that contains it. */
  readonly path: JsonPath;
}

function inText(text: string): Found | null {
  if (text.includes("\u0000")) return { what: "nul", path: [] };
  return text.isWellFormed() ? null : { what: "surrogate", path: [] };
}

const below = (name: string | number, found: Found | null): Found | null =>
  found && { ...found, path: [name, ...found.path] };

/** Returns the first U+0000 or half of a surrogate pair in a value of limited depth; null if there is none. */
export function findUnstorable(value: unknown): Found | null {
  if (typeof value === "string") return inText(value);
  if (typeof value !== "object" || value === null) return null;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const found = below(at, findUnstorable(value[at]));
      if (found) return found;
    }
    return null;
  }
  for (const name of Object.keys(value)) {
    const inner: unknown = (value as Record<string, unknown>)[name];
    const found = inText(name) ?? below(name, findUnstorable(inner));
    if (found) return found;
  }
  return null;
}

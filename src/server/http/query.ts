import { AppError } from "#server/platform/errors.ts";

type Pairs = Record<string, string>;

/** `name[key]`: a pair of the object under the name. */
const pairName = /^([^[\]]+)\[([^[\]]+)\]$/;

const repeated = (name: string) =>
  new AppError("BAD_REQUEST", `The query parameter ${name} is given twice`, { param: name });

/**
 * Returns query parameters by name. A name that ends in `[]` is a list under the name before it, and `name[key]` is a
 * pair of the object under the name; any other repeated name is refused.
 */
export function queryOf(query: string): Record<string, string | string[] | Pairs> {
  const values = new Map<string, string | string[]>();
  const objects = new Map<string, Map<string, string>>();
  for (const [sent, value] of new URLSearchParams(query)) {
    const name = sent.replace(/\[\]$/, "");
    if (value.includes("\u0000"))
      throw new AppError("BAD_REQUEST", `${name}: may not contain the character U+0000`, { param: name });
    const [, object, key] = pairName.exec(name) ?? [];
    if (object !== undefined && key !== undefined) {
      const pairs = objects.get(object) ?? new Map<string, string>();
      if (pairs.has(key) || values.has(object)) throw repeated(object);
      objects.set(object, pairs.set(key, value));
      continue;
    }
    const held = values.get(name);
    if (objects.has(name)) throw repeated(name);
    if (held === undefined) values.set(name, sent === name ? value : [value]);
    else if (sent !== name && Array.isArray(held)) held.push(value);
    else throw repeated(name);
  }
  const nested = [...objects].map(([name, pairs]) => [name, Object.fromEntries(pairs)] as const);
  return Object.fromEntries<string | string[] | Pairs>([...values, ...nested]);
}

import { AppError } from "#server/platform/errors.ts";

/**
 * Returns query parameters by name. A name that ends in `[]` is a list under the name before it; any other repeated
 * name is refused.
 */
export function queryOf(query: string): Record<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  for (const [sent, value] of new URLSearchParams(query)) {
    const name = sent.replace(/\[\]$/, "");
    if (value.includes("\u0000"))
      throw new AppError("BAD_REQUEST", `${name}: may not contain the character U+0000`, { param: name });
    const held = values.get(name);
    if (held === undefined) values.set(name, sent === name ? value : [value]);
    else if (sent !== name && Array.isArray(held)) held.push(value);
    else throw new AppError("BAD_REQUEST", `The query parameter ${name} is given twice`, { param: name });
  }
  return Object.fromEntries(values);
}

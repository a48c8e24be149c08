import { z } from "zod";

/** After this many issues nothing more is checked or reported. */
const issuesMax = 20;

/**
 * An array that is not checked further after the maximum of reported issues. Zod's own array checks every element and
 * describes each issue, however many there are.
 */
const List = z.core.$constructor<z.ZodArray>("List", (inst, def) => {
  z.ZodArray.init(inst, def);
  const { parse } = inst._zod;
  const lengthMax = Math.min(...z.core.util.sizeCaps(def.checks).map(([max]) => max));
  inst._zod.parse = (payload, context) => {
    const input: unknown = payload.value;
    // What is no array, or too long, is refused before an element is looked at.
    if (!Array.isArray(input) || input.length > lengthMax) return parse(payload, context);
    const output: unknown[] = new Array(input.length);
    payload.value = output;
    for (let at = 0; at < input.length && payload.issues.length < issuesMax; at++) {
      const result = def.element._zod.run({ value: input[at], issues: [] }, context);
      if (result instanceof Promise) throw new z.core.$ZodAsyncError();
      if (result.issues.length > 0) payload.issues.push(...z.core.util.prefixIssues(at, result.issues));
      output[at] = result.value;
    }
    return payload;
  };
});

/** An array of a request. It must be given a maximum. */
export function list<Item extends z.ZodType>(
  item: Item,
  error?: string | { error: string },
): z.ZodArray<Item> {
  const made = new List({ type: "array", element: item, ...z.core.util.normalizeParams(error) });
  // The constructor cannot name its element's type; what it was given is what it has.
  return made as unknown as z.ZodArray<Item>;
}

/** Whether a schema is such an array. */
export const isList = (schema: z.core.$ZodType): boolean => schema._zod.traits.has("List");

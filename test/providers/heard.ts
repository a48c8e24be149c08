// What a lenient provider makes of a request: the members that its reference lists, and nothing of the rest.
import { isJson, type Json } from "./shape.ts";

/** Members that have an effect: `true` with all that is inside, otherwise by what is read inside. */
export interface Members {
  readonly [name: string]: true | Members;
}

/** Members that are read with all that is inside. */
export const reading = (...names: readonly string[]): Members =>
  Object.fromEntries(names.map((name) => [name, true]));

/** A body without what has no effect, at any depth. */
export const heard = (body: Json, members: Members): Json =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      const inside = members[name];
      if (inside === undefined) return [];
      return [[name, inside === true ? value : heardInside(value, inside)]];
    }),
  );

function heardInside(value: unknown, members: Members): unknown {
  if (Array.isArray(value)) return value.map((one) => heardInside(one, members));
  return isJson(value) ? heard(value, members) : value;
}

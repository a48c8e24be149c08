import type { Json } from "../wires/shared/json.ts";

/** Gets the name of something that a provider does not get. */
export type Lost = (name: string) => void;

/** Members that name or count what clients were given, and ask for nothing. */
const labels: ReadonlySet<string> = new Set([
  ...["id", "index", "status", "object"],
  // OpenAI's clients add these to answers.
  ...["parsed", "parsed_arguments"],
]);

const isEmpty = (value: unknown): boolean =>
  value == null || value === "" || (Array.isArray(value) && value.length === 0);

/** Reports each member of an object that is set and is not among `known`, by its path. */
export function reportLost(of: Json, known: ReadonlySet<string>, path: string, lost: Lost): void {
  for (const name in of)
    if (!known.has(name) && !labels.has(name) && !isEmpty(of[name])) lost(`${path}.${name}`);
}

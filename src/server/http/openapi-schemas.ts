const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Formats that are more precise than the pattern zod adds for them. */
const formatsWithPattern = new Set(["uuid", "date", "date-time"]);
const unbounded: readonly unknown[] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
/** Zod's name of a recursive schema without an id; the only one is that of any JSON. */
const unnamed = /__schema\d+/;
const jsonValue = "JsonValue";
/** Without the recursion, which client generators cannot express as a type. */
const anyJson = { description: "Any JSON value." };

const renamed = (name: string): string => name.replace(unnamed, jsonValue);

/**
 * A copy of a document without details that do not help readers: patterns beside a format, limits of JavaScript's
 * numbers, generated names.
 */
export function simplified(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplified);
  if (typeof value === "string") return value.startsWith("#/components/") ? renamed(value) : value;
  if (!isObject(value)) return value;
  const isRedundant = (name: string, inner: unknown): boolean =>
    (name === "pattern" && typeof value.format === "string" && formatsWithPattern.has(value.format)) ||
    ((name === "minimum" || name === "maximum") && unbounded.includes(inner));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => !isRedundant(name, inner))
      .map(([name, inner]) => (unnamed.test(name) ? [jsonValue, anyJson] : [name, simplified(inner)])),
  );
}

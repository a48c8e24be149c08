// Shapes of request bodies: what a strict provider knows, at any depth.

export type Json = Record<string, unknown>;
export type Path = readonly (string | number)[];

/** The first thing in a body that a provider does not take. */
export interface Problem {
  readonly path: Path;
  readonly kind: "unknown" | "missing" | "invalid";
  readonly message: string;
}
export type Check = (value: unknown, path: Path) => Problem | null;

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const listOf = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter((one) => isJson(one)) : [];

const invalid = (path: Path, message: string): Problem => ({ path, kind: "invalid", message });
const firstOf = (problems: Iterable<Problem | null>): Problem | null => {
  for (const problem of problems) if (problem !== null) return problem;
  return null;
};

export const any: Check = () => null;
export const text: Check = (value, path) =>
  typeof value === "string" ? null : invalid(path, "not a string");
export const flag: Check = (value, path) =>
  typeof value === "boolean" ? null : invalid(path, "not a boolean");
export const number =
  (min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): Check =>
  (value, path) =>
    typeof value === "number" && value >= min && value <= max
      ? null
      : invalid(path, `not a number from ${min} to ${max}`);
export const oneOf =
  (...values: readonly unknown[]): Check =>
  (value, path) =>
    values.includes(value) ? null : invalid(path, `not one of ${values.join(", ")}`);
export const nullable =
  (check: Check): Check =>
  (value, path) =>
    value === null ? null : check(value, path);

/** An object of these members and no others. A member that is null must be `nullable`. */
export const object =
  (shape: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, path) => {
    if (!isJson(value)) return invalid(path, "not an object");
    const missing = required.find((name) => value[name] === undefined);
    if (missing !== undefined)
      return { path: [...path, missing], kind: "missing", message: `${missing} is required` };
    return firstOf(
      Object.entries(value).map(([name, inner]) => {
        const check = shape[name];
        return check
          ? check(inner, [...path, name])
          : { path: [...path, name], kind: "unknown", message: `${name} is unknown` };
      }),
    );
  };
export const record: Check = (value, path) => (isJson(value) ? null : invalid(path, "not an object"));
export const list =
  (check: Check, { min = 0, max = Number.POSITIVE_INFINITY } = {}): Check =>
  (value, path) => {
    if (!Array.isArray(value)) return invalid(path, "not an array");
    if (value.length < min) return invalid(path, `too short: at least ${min} items`);
    if (value.length > max) return invalid(path, `too long: at most ${max} items`);
    return firstOf(value.map((one, at) => check(one, [...path, at])));
  };
/** A text, or whatever else `check` takes. */
export const textOr =
  (check: Check): Check =>
  (value, path) =>
    typeof value === "string" ? null : check(value, path);
/** The checks of an object by the value of one of its members. */
export const by =
  (member: string, checks: Readonly<Record<string, Check>>): Check =>
  (value, path) => {
    const kind = isJson(value) ? value[member] : undefined;
    const check = typeof kind === "string" ? checks[kind] : undefined;
    return check ? check(value, path) : invalid([...path, member], `not one of ${Object.keys(checks)}`);
  };
/** An object with exactly one of these members, as unions are written in Google's and AWS' APIs. */
export const union =
  (shape: Readonly<Record<string, Check>>): Check =>
  (value, path) => {
    const names = isJson(value) ? Object.keys(value) : [];
    return names.length === 1 ? object(shape)(value, path) : invalid(path, "must have exactly one member");
  };
/** `messages[0].content`. */
export const pathText = (path: Path): string =>
  path.reduce<string>(
    (before, part) =>
      typeof part === "number" ? `${before}[${part}]` : before === "" ? part : `${before}.${part}`,
    "",
  );

import type { z } from "zod";
import type { Values } from "#contract/configuration-form.ts";

type Json = z.core.util.JSONType;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Text that is equal for equal values, whatever the order of their fields. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value ?? null);
  const fields = Object.keys(value)
    .sort()
    .filter((name) => value[name] !== undefined)
    .map((name) => `${JSON.stringify(name)}:${canonicalText(value[name])}`);
  return `{${fields.join(",")}}`;
}

export const isEqual = (one: unknown, other: unknown): boolean => canonicalText(one) === canonicalText(other);

/** Removes what is not set: null, undefined, and objects without fields. Lists stay as they are. */
function withoutEmpty(value: unknown): unknown {
  if (!isRecord(value)) return value ?? undefined;
  const rest = withoutNulls(value);
  return Object.keys(rest).length > 0 ? rest : undefined;
}

const withoutNulls = (values: Values): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values)
      .map(([name, value]) => [name, withoutEmpty(value)])
      .filter(([, value]) => value !== undefined),
  );

/**
 * The one form of equal values: without fields that are not set or have their default. The content of `exact` fields
 * stays as it is.
 */
export function canonical(values: Values, defaults: Values, exact: readonly string[] = []): Values {
  const unchanged = exact.flatMap((name) => (isRecord(values[name]) ? [[name, values[name]]] : []));
  const entries = Object.entries({ ...withoutNulls(values), ...Object.fromEntries(unchanged) });
  return Object.fromEntries(
    entries.filter(([name, value]) => !(name in defaults && isEqual(value, defaults[name]))),
  );
}

export interface FieldDifference {
  readonly field: string;
  readonly before: Json;
  readonly after: Json;
}

// Canonical values come from JSON or YAML, so they are JSON.
const json = (value: unknown): Json => (value ?? null) as Json;

/** The fields that differ, with inner fields of objects; lists are compared as a whole. */
export function differences(before: Values, after: Values, path = ""): FieldDifference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const [one, other] = [before[name], after[name]];
    // In an exact field, null and a field that is not set differ.
    if (isEqual(one, other) && name in before === name in after) return [];
    const field = path + name;
    if (isRecord(one) && isRecord(other)) return differences(one, other, `${field}.`);
    return [{ field, before: json(one), after: json(other) }];
  });
}

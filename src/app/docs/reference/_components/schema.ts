import type { Schema } from "./document.ts";

export type Schemas = Readonly<Record<string, Schema>>;

const prefix = "#/components/schemas/";

/** The name of a referenced schema, or undefined when it is inline. */
export const nameOf = ({ $ref }: Schema): string | undefined =>
  $ref?.startsWith(prefix) ? $ref.slice(prefix.length) : undefined;

/** Follows a reference. An unknown name gives an empty schema. */
export function resolve(schema: Schema, schemas: Schemas): Schema {
  const name = nameOf(schema);
  return name === undefined ? schema : (schemas[name] ?? {});
}

const isNull = ({ type }: Schema) => type === "null";

/** The choices of `anyOf`/`oneOf` without null. */
export const choicesOf = ({ anyOf, oneOf }: Schema): readonly Schema[] =>
  (anyOf ?? oneOf ?? []).filter((choice) => !isNull(choice));

const limitNames = [
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "pattern",
] as const;

const limitLabels: Record<(typeof limitNames)[number], string> = {
  minimum: "≥",
  maximum: "≤",
  minLength: "length ≥",
  maxLength: "length ≤",
  minItems: "items ≥",
  maxItems: "items ≤",
  pattern: "matches",
};

/** Limits to show, such as `≥ 1`, without the range of safe integers. */
export const limitsOf = (schema: Schema): string[] =>
  limitNames.flatMap((name) => {
    const value = schema[name];
    if (value === undefined || Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) return [];
    return [`${limitLabels[name]} ${value}`];
  });

/** The type in one line: `array of string`, `"a" | "b"`, `Preferences or null`. */
export function typeText(schema: Schema): string {
  const name = nameOf(schema);
  if (name !== undefined) return name;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeText))].join(" or ");
  if (schema.allOf) return schema.allOf.map(typeText).join(" and ");
  const types = [schema.type ?? (schema.properties ? "object" : "any")].flat();
  const words = types.map((type) => (type === "array" ? `array of ${typeText(schema.items ?? {})}` : type));
  return `${words.join(" or ")}${schema.format ? ` (${schema.format})` : ""}`;
}

/** The object schemas that can be unfolded below a field: its own, its items', its choices'. */
export function unfold(schema: Schema, schemas: Schemas): readonly Schema[] {
  const found = resolve(schema, schemas);
  if (found.properties) return [found];
  if (found.items) return unfold(found.items, schemas);
  return [...choicesOf(found), ...(found.allOf ?? [])].flatMap((choice) => unfold(choice, schemas));
}

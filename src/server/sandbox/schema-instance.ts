import { z } from "zod";
import type { Random } from "#server/platform/ids.ts";
import { integerBetween, pickOne } from "./seeded.ts";

/** The words of JSON Schema the sandbox understands; others are read over. */
const Schema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
  $ref: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  exclusiveMaximum: z.number().optional(),
  multipleOf: z.number().positive().optional(),
  format: z.string().optional(),
});
type Schema = z.infer<typeof Schema>;

const depthMax = 8;

const formats: Record<string, string> = {
  "date-time": "2026-11-20T12:00:00Z",
  date: "2026-11-20",
  time: "12:00:00Z",
  email: "pilot@example.org",
  uri: "https://example.org/chart",
  uuid: "0190a5d0-7c00-7000-8000-000000000000",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
};

const names = ["north", "harbour", "lantern", "compass", "tide"] as const;

interface Walk {
  readonly random: Random;
  readonly root: unknown;
  readonly depth: number;
}

/** Follows a pointer such as `#/$defs/item` inside the root schema. */
const resolve = (root: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((at, key) => z.record(z.string(), z.unknown()).safeParse(at).data?.[key], root);

function text(schema: Schema, { random }: Walk): string {
  const formatted = schema.format === undefined ? undefined : formats[schema.format];
  const value = formatted ?? pickOne(random, names);
  return value.padEnd(schema.minLength ?? 0, "x").slice(0, schema.maxLength ?? value.length + 1000);
}

function number(schema: Schema, { random }: Walk, whole: boolean): number {
  const step = schema.multipleOf ?? (whole ? 1 : 0.5);
  const above = schema.exclusiveMinimum === undefined ? -Infinity : schema.exclusiveMinimum + step / 2;
  const below = schema.exclusiveMaximum === undefined ? Infinity : schema.exclusiveMaximum - step / 2;
  const top = Math.min(schema.maximum ?? Infinity, below);
  const bottom = Math.max(schema.minimum ?? -Infinity, above, top < 0 ? top - 100 * step : 0);
  const first = Math.ceil(bottom / step);
  const last = Math.min(Math.floor(top / step), first + 100);
  return (last < first ? first : integerBetween(random, first, last)) * step;
}

function object(schema: Schema, walk: Walk): Record<string, unknown> {
  const required = new Set(schema.required);
  const entries = Object.entries(schema.properties ?? {})
    .filter(([name]) => required.has(name) || walk.depth < depthMax / 2)
    .map(([name, inner]) => [name, instance(inner, walk)]);
  const missing = [...required].filter((name) => schema.properties?.[name] === undefined);
  return Object.fromEntries([...entries, ...missing.map((name) => [name, "north"])]);
}

function array(schema: Schema, walk: Walk): unknown[] {
  const wanted = Math.max(schema.minItems ?? 0, walk.depth < depthMax / 2 ? 1 : 0);
  return Array.from({ length: Math.min(wanted, schema.maxItems ?? wanted) }, () =>
    instance(schema.items, walk),
  );
}

const makers: Record<string, (schema: Schema, walk: Walk) => unknown> = {
  object,
  array,
  string: text,
  number: (schema, walk) => number(schema, walk, false),
  integer: (schema, walk) => number(schema, walk, true),
  boolean: (_, { random }) => random() < 0.5,
  null: () => null,
};

function guessType(schema: Schema): string {
  if (schema.properties || schema.required) return "object";
  return schema.items === undefined ? "string" : "array";
}

function instance(given: unknown, outer: Walk): unknown {
  const parsed = Schema.safeParse(given);
  if (!parsed.success || outer.depth > depthMax) return null;
  const schema = parsed.data;
  const walk = { ...outer, depth: outer.depth + 1 };
  if ("const" in schema) return schema.const;
  if (schema.enum) return schema.enum[integerBetween(walk.random, 0, schema.enum.length - 1)];
  if (schema.$ref) return instance(resolve(walk.root, schema.$ref), walk);
  const [option] = schema.anyOf ?? schema.oneOf ?? [];
  if (option !== undefined) return instance(option, walk);
  if (schema.allOf) {
    const { allOf, ...rest } = schema;
    const parts = [...allOf, rest].map((part) => {
      const ref = Schema.safeParse(part).data?.$ref;
      return Schema.safeParse(ref ? resolve(walk.root, ref) : part).data ?? {};
    });
    return instance(
      {
        ...Object.assign({}, ...parts),
        properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
        required: parts.flatMap(({ required }) => required ?? []),
      },
      walk,
    );
  }
  const type = (Array.isArray(schema.type) ? schema.type[0] : schema.type) ?? guessType(schema);
  return makers[type]?.(schema, walk) ?? null;
}

/** A value that fits a JSON schema, the same one for the same random source. Patterns are not heeded. */
export const schemaInstance = (schema: unknown, random: Random): unknown =>
  instance(schema, { random, root: schema, depth: 0 });

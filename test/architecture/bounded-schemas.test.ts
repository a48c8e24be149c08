import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { AnyJson, membersMaxOf, recordOf } from "#contract/bounded.ts";
import { isList, list } from "#contract/list.ts";
import { tablesByType } from "#contract/response-items.ts";
import { requestSchemas } from "./request-schemas.ts";

type Schema = z.core.$ZodType;
type Json = Record<string, unknown>;

/** What a definition may hold, whatever its type; zod's own types say it for each type apart. */
interface Definition {
  readonly type: string;
  readonly checks?: readonly { readonly _zod: { readonly def: Json } }[];
  readonly [part: string]: unknown;
}
const definitionOf = (schema: Schema) => schema._zod.def as unknown as Definition;

const checksOf = ({ checks = [], ...own }: Definition): Json[] => [
  own,
  ...checks.map(({ _zod }) => _zod.def),
];

/** The greatest length a value may have; undefined when there is none. */
function lengthMaxOf(definition: Definition): number | undefined {
  const lengths = checksOf(definition).flatMap(({ check, maximum, length }) =>
    check === "max_length" ? [Number(maximum)] : check === "length_equals" ? [Number(length)] : [],
  );
  return lengths.length > 0 ? Math.min(...lengths) : undefined;
}

/** Whether a pattern stands for texts of limited length: anchored, and nothing in it is repeated without end. */
function isLimited(pattern: RegExp): boolean {
  const source = pattern.source.replace(/\\./g, "x").replace(/\[[^\]]*\]/g, "x");
  return /^\^.*\$$/.test(source) && !/[*+]|\{\d+,\}/.test(source);
}

/** Formats whose texts have one length. */
const fixedFormats = new Set<unknown>(["uuid", "date"]);

const isBoundedText = (definition: Definition): boolean =>
  lengthMaxOf(definition) !== undefined ||
  checksOf(definition).some(
    ({ format, pattern }) => fixedFormats.has(format) || (pattern instanceof RegExp && isLimited(pattern)),
  );

/** The paths at which a JSON schema, which describes what is checked by hand, leaves a length open. */
function openInJsonSchema(shape: unknown, path: string): string[] {
  if (typeof shape !== "object" || shape === null) return [];
  const { type, maxLength, maxItems, anyOf, items } = shape as Json;
  const own =
    (type === "string" && maxLength === undefined) || (type === "array" && maxItems === undefined)
      ? [path]
      : [];
  const inner = [...(Array.isArray(anyOf) ? anyOf : []), ...(items ? [items] : [])];
  return [...own, ...inner.flatMap((one) => openInJsonSchema(one, path))];
}

/** Types that hold nothing else and have one size. */
const plain = new Set([
  ...["number", "int", "boolean", "null", "undefined", "void", "never", "enum", "literal", "nan", "date"],
  // What passes here unseen is bounded with the body it came in.
  ...["unknown", "any"],
  // What is made of a value that was checked before.
  "transform",
]);
const wrappers = new Set([
  ...["optional", "nullable", "default", "prefault", "nonoptional", "readonly", "catch", "promise"],
]);

/** The paths of all texts, arrays and records of a schema that have no maximum. */
function openIn(schema: Schema, path: string, seen = new Set<Schema>()): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const within = (inner: unknown, name: string) => openIn(inner as Schema, `${path}${name}`, seen);
  const definition = definitionOf(schema);
  const { type } = definition;
  const ownTable = tablesByType.get(schema) ?? {};
  const open = Object.entries(ownTable).flatMap(([name, row]) => within(row, `<${name}>`));
  if (plain.has(type)) return open;
  if (wrappers.has(type)) return [...open, ...within(definition.innerType, "")];
  switch (type) {
    case "string":
      return isBoundedText(definition) ? open : [...open, `${path}: text`];
    case "array":
      if (lengthMaxOf(definition) === undefined) open.push(`${path}: array`);
      else if (!isList(schema)) open.push(`${path}: array that is looked through to its end`);
      return [...open, ...within(definition.element, "[]")];
    case "record":
      if (!membersMaxOf.get(schema)) open.push(`${path}: record`);
      return [...open, ...within(definition.keyType, ".<name>"), ...within(definition.valueType, ".<value>")];
    case "object": {
      const fields = Object.entries(definition.shape as Record<string, Schema>);
      const rest = definition.catchall ? within(definition.catchall, ".<rest>") : [];
      return [...open, ...fields.flatMap(([name, field]) => within(field, `.${name}`)), ...rest];
    }
    case "union":
      return [...open, ...(definition.options as Schema[]).flatMap((option) => within(option, ""))];
    case "intersection":
      return [...open, ...within(definition.left, ""), ...within(definition.right, "")];
    case "tuple":
      if (definition.rest) open.push(`${path}: tuple with a rest`);
      return [...open, ...(definition.items as Schema[]).flatMap((item, at) => within(item, `[${at}]`))];
    case "pipe":
      return [...open, ...within(definition.in, ""), ...within(definition.out, "")];
    case "lazy":
      return [...open, ...within((definition.getter as () => Schema)(), "")];
    case "custom": {
      // Checked by hand: what is right stands in the JSON schema beside it.
      const described = z.globalRegistry.get(schema)?.override;
      if (described === undefined) return [...open, `${path}: checked by hand, and described nowhere`];
      return [...open, ...openInJsonSchema(described, `${path}: described by hand`)];
    }
    default:
      return [...open, `${path}: of the unknown type ${type}`];
  }
}

/** Without what parses JSON or a date, which no schema is part of. */
const codeOf = (source: string): string => source.replaceAll(/\b(?:JSON|Date|URL)\.parse\(/g, "");

test.each(requestSchemas)("every text, array and record in %s has a maximum", (name, schema) => {
  expect(openIn(schema, name)).toEqual([]);
});

test("what is checked are all operations", () => {
  expect(requestSchemas.length).toBeGreaterThan(90);
});

describe("no schema of a request escapes", () => {
  test("in a table by type: the walk comes to every one of them", () => {
    const seen = new Set<Schema>();
    for (const [name, schema] of requestSchemas) openIn(schema, name, seen);
    expect(tablesByType.size).toBeGreaterThan(2);
    for (const [schema, table] of tablesByType) {
      expect(seen).toContain(schema);
      for (const row of Object.values(table)) expect(seen).toContain(row);
    }
  });

  test("in a check by hand: those that parse inside are known", () => {
    const contract = new URL("../../src/contract/", import.meta.url);
    const parsing = readdirSync(contract)
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .filter((file) =>
        /\.(?:safeP|p)arse(?:Async)?\(/.test(codeOf(readFileSync(new URL(file, contract), "utf8"))),
      );
    expect(parsing).toEqual([
      // The same fields, in the schema of the report.
      "activity-report.ts",
      // The form of a file, whose text is bounded: a request has no such object.
      "configuration-form.ts",
      "configuration-kinds.ts",
      // Its tables are walked.
      "response-items.ts",
      // The place of a page, whose parts are bounded before.
      "usage-report.ts",
    ]);
  });
});

describe("a maximum that is missing is found", () => {
  const inner = z.object({ name: z.string() });
  const byType = z.looseObject({ type: z.string().max(9) });
  beforeAll(() => void tablesByType.set(byType, { note: z.looseObject({ text: z.string() }) }));
  afterAll(() => void tablesByType.delete(byType));
  test.each<[string, z.ZodType, string]>([
    ["in an object", z.strictObject({ a: inner }), "x.a.name: text"],
    ["in an array", list(z.string().max(3)), "x: array"],
    ["in an array of zod's own", z.array(z.number()).max(3), "x: array that is looked through to its end"],
    ["in the elements of an array", list(inner).max(3), "x[].name: text"],
    ["in a union", z.union([z.number(), z.array(z.number())]).nullish(), "x: array"],
    ["in a record", z.record(z.string().max(3), z.number()), "x: record"],
    ["in the names of a record", recordOf(z.string(), { max: 3 }), "x.<value>: text"],
    ["before a transform", z.string().transform(Number), "x: text"],
    [
      "behind a transform",
      z
        .string()
        .max(9)
        .transform((text) => text.split(","))
        .pipe(z.array(z.enum(["a"]))),
      "x: array",
    ],
    ["behind a lazy", z.lazy(() => inner).default({ name: "" }), "x.name: text"],
    ["in an intersection", z.intersection(z.object({}), inner), "x.name: text"],
    ["in a rest", z.object({}).catchall(z.string()), "x.<rest>: text"],
    ["in a table by type", byType, "x<note>.text: text"],
    ["by a pattern without end", z.string().regex(/^a+$/), "x: text"],
    ["by a pattern without an anchor", z.string().regex(/a{3}/), "x: text"],
    ["in what is checked by hand", z.custom(() => true), "x: checked by hand, and described nowhere"],
    [
      "in its description",
      z.custom(() => true).meta({ override: { anyOf: [{ type: "string" }] } }),
      "x: described by hand",
    ],
  ])("%s", (_, schema, path) => {
    expect(openIn(schema, "x")).toEqual([path]);
  });

  test("and one that is there is seen", () => {
    const bounded = z.object({
      a: z.string().max(3),
      b: z.string().length(3),
      c: z.string().regex(/^[0-9A-Za-z]{12}$/),
      d: list(z.uuid()).max(3),
      e: recordOf(AnyJson, { max: 3 }),
    });
    expect(openIn(bounded, "x")).toEqual([]);
  });
});

import type { z } from "zod";
import { membersMaxOf } from "#contract/bounded.ts";
import { tablesByType } from "#contract/response-items.ts";

type Json = Record<string, unknown>;
type Schema = z.core.$ZodType;
type Path = readonly (string | number)[];

/** A body of JSON text, made when it is sent. */
export interface Expensive {
  readonly name: string;
  /** Whether it matches its schema, as far as a schema can express it. */
  readonly isValid: boolean;
  readonly text: () => string;
}

interface Definition {
  readonly type: string;
  readonly checks?: readonly { readonly _zod: { readonly def: Json } }[];
  readonly [part: string]: unknown;
}
const definitionOf = (schema: Schema) => schema._zod.def as unknown as Definition;

/** A field in which a request can hold much: where it is, how much of what. */
interface Spot {
  readonly path: Path;
  readonly kind: "text" | "list" | "record" | "object" | "other";
  readonly max: number;
  /** What one element of it is, as JSON. */
  readonly element: string;
  /** Objects on the way to it that must be of a type, for only that type is checked by the schema it stands in. */
  readonly typed: readonly Typed[];
}

interface Typed {
  readonly path: Path;
  readonly value: Json;
}

function lengthMaxOf({ checks = [], ...own }: Definition): number {
  const all = [own, ...checks.map(({ _zod }) => _zod.def)];
  const lengths = all.flatMap(({ check, maximum }) => (check === "max_length" ? [Number(maximum)] : []));
  return Math.min(Number.POSITIVE_INFINITY, ...lengths);
}

const wrappers = new Set(["optional", "nullable", "default", "prefault", "nonoptional", "readonly", "catch"]);
const uuid = "018f0000-0000-7000-8000-000000000000";

/** A value a schema takes, or nearly: what it means does not matter here. */
function sampleOf(schema: Schema): unknown {
  const definition = definitionOf(schema);
  const { type } = definition;
  if (wrappers.has(type)) return sampleOf(definition.innerType as Schema);
  switch (type) {
    case "string":
      return definition.format === "uuid" ? uuid : "a";
    case "number":
      return 1;
    case "boolean":
      return true;
    case "enum":
      return Object.values(definition.entries as Json)[0];
    case "literal":
      return (definition.values as unknown[])[0];
    case "array":
      return [sampleOf(definition.element as Schema)];
    case "union":
      return sampleOf((definition.options as Schema[])[0] as Schema);
    case "pipe":
      return sampleOf(definition.in as Schema);
    case "object": {
      const fields = Object.entries(definition.shape as Record<string, Schema>);
      const wanted = fields.filter(([, field]) => field._zod.optin !== "optional");
      return Object.fromEntries(wanted.map(([name, field]) => [name, sampleOf(field)]));
    }
    default:
      return type === "record" ? {} : null;
  }
}

/** All spots of a schema, those in the first element of each list included. */
function spotsOf(
  schema: Schema,
  path: Path = [],
  seen = new Set<Schema>(),
  typed: readonly Typed[] = [],
): Spot[] {
  if (seen.has(schema)) return [];
  const around = new Set(seen).add(schema);
  const definition = definitionOf(schema);
  const { type } = definition;
  const inner = (value: unknown, ...names: Path) =>
    spotsOf(value as Schema, [...path, ...names], around, typed);
  if (wrappers.has(type)) return inner(definition.innerType);
  const spot = (kind: Spot["kind"], max: number, element = '""'): Spot => ({
    path,
    kind,
    max,
    element,
    typed,
  });
  switch (type) {
    case "string":
      return [spot("text", lengthMaxOf(definition))];
    case "array": {
      const element = definition.element as Schema;
      return [spot("list", lengthMaxOf(definition), JSON.stringify(sampleOf(element))), ...inner(element, 0)];
    }
    case "record":
      return [spot("record", membersMaxOf.get(schema)?.max ?? 0), ...inner(definition.valueType, "a")];
    case "object": {
      const fields = Object.entries(definition.shape as Record<string, Schema>);
      const type = typed.find(({ path: place }) => place === path)?.value;
      const rows = Object.entries(tablesByType.get(schema) ?? {});
      return [
        spot("object", Number.POSITIVE_INFINITY, JSON.stringify({ ...(sampleOf(schema) as Json), ...type })),
        ...fields.flatMap(([name, field]) => inner(field, name)),
        ...rows.flatMap(([name, row]) => {
          const value = { ...(sampleOf(row) as Json), type: name };
          return spotsOf(row, path, around, [...typed, { path, value }]);
        }),
      ];
    }
    case "union":
      return (definition.options as Schema[]).flatMap((option) => inner(option));
    case "pipe":
      return inner(definition.in);
    default:
      return [spot("other", Number.POSITIVE_INFINITY)];
  }
}

const mark = "@spot@";

type Place = Record<string | number, unknown>;

/** Puts a value into a body. The steps to its place are made where they are missing. */
function put(body: Place, path: Path, value: unknown): void {
  let at = body;
  for (const [step, name] of path.slice(0, -1).entries()) {
    const inner = at[name];
    if (typeof inner !== "object" || inner === null) at[name] = typeof path[step + 1] === "number" ? [] : {};
    at = at[name] as Place;
  }
  at[path.at(-1) as string | number] = value;
}

/** A body with something in the place of a spot. */
function withSpot(base: Json, { path, typed }: Spot, json: () => string): () => string {
  return () => {
    if (path.length === 0) return json();
    const body = structuredClone(base);
    for (const { path: place, value } of typed)
      if (place.length > 0) put(body, place, structuredClone(value));
    put(body, path, mark);
    const [before = "", after = ""] = JSON.stringify(body).split(`"${mark}"`);
    return before + json() + after;
  };
}

const fill = (unit: string, chars: number): string => `"${unit.repeat(Math.floor(chars / unit.length))}"`;
const times = (element: string, count: number): string =>
  `[${Array(Math.max(0, count)).fill(element).join()}]`;
const members = (count: number, value = "0"): string =>
  `{${Array.from({ length: count }, (_, at) => `"k${at}":${value}`).join()}}`;
const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

/** Texts that are long, and long for those who copy, escape, measure or search them. */
const units: readonly (readonly [string, string])[] = [
  ["plain", "a"],
  ["line breaks", "\\n"],
  ["closing brackets", "}"],
  ["directives", "%\\n"],
  ["escapes", "\\u4e2d"],
  ["wide", "ж"],
  ["a pattern", "(a+)+$.*"],
  ["an address", "data:;=,"],
  ["half a token", "-eyJ"],
];

export interface Bounds {
  readonly bytes: number;
  readonly elementsMax: number;
  readonly containersMax: number;
  readonly keysMax: number;
}

/** What a spot may hold at the most, and then what it may not. `room` is what is left for it in the body. */
function fillings({ kind, max, element }: Spot, at: number, { bytes, ...bounds }: Bounds) {
  const room = bytes - 4_096;
  const [unitName, unit] = units[at % units.length] as readonly [string, string];
  const chars = (count: number) => Math.min(count, Math.floor(room / Buffer.byteLength(unit)) * unit.length);
  const isPlain = !/[[{]/.test(element);
  const elements = Math.min(
    max,
    Math.floor(room / (element.length + 1)),
    isPlain ? bounds.elementsMax - 200 : bounds.containersMax - 200,
    /:/.test(element)
      ? Math.floor((bounds.keysMax - 100) / element.split(":").length)
      : Number.POSITIVE_INFINITY,
  );
  /** An object that is right but for what is added. */
  const begun = element.length > 2 ? element.slice(0, -1) : '{"type":"a"';
  const keys = Math.min(bounds.keysMax - 100, Math.floor(room / 12));
  const valid: Record<Spot["kind"], readonly (readonly [string, () => string])[]> = {
    text: [[`a text of ${unitName}`, () => fill(unit, chars(Math.min(max, room)))]],
    list: [["a list", () => times(element, elements)]],
    record: [["a record", () => members(Math.min(max, keys), '""')]],
    object: [
      [
        "an unknown list",
        () => `${begun},"unknown":${times("0", Math.min(bounds.elementsMax - 300, Math.floor(room / 2)))}}`,
      ],
      ["unknown members", () => `${begun},"unknown":${members(keys)}}`],
      [
        "unknown objects",
        () =>
          `${begun},"unknown":${times("{}", Math.min(bounds.containersMax - 300, Math.floor(room / 3)))}}`,
      ],
      ["unknown depth", () => `${begun},"unknown":${nested(40)}}`],
      ["an unknown text", () => `${begun},"unknown":${fill(unit, chars(room))}}`],
    ],
    other: [],
  };
  const invalid: readonly (readonly [string, () => string])[] = [
    ["zeros", () => times("0", Math.floor(room / 2))],
    [
      "as many zeros as are let in",
      () => times("0", Math.min(bounds.elementsMax - 300, Math.floor(room / 2))),
    ],
    ["objects of nothing", () => times("{}", Math.min(bounds.containersMax - 300, Math.floor(room / 3)))],
    ["lists of nothing", () => times("[]", Math.min(bounds.containersMax - 300, Math.floor(room / 3)))],
    ["a text in its place", () => fill(unit, chars(Math.min(room, 1_000_000)))],
    ["texts", () => times('"ab"', Math.min(bounds.elementsMax - 300, Math.floor(room / 5)))],
    ["members", () => members(keys)],
    ["too many members", () => members(Math.min(2 * bounds.keysMax, Math.floor(room / 12)))],
    ["a depth", () => nested(Math.min(20_000, room / 2))],
    ["the depth that is let in", () => nested(50)],
    ["members twice", () => `{${'"a":0,'.repeat(Math.min(5_000, Math.floor(room / 8)))}"a":0}`],
    ["U+0000", () => `"${"a".repeat(Math.min(room, 100_000))}\\u0000"`],
    ["half of a pair", () => `["${"a".repeat(Math.min(room, 100_000))}\\ud800"]`],
    ["a word of objects", () => '"constructor"'],
    ["a number without end", () => "1".repeat(Math.min(room, 100_000))],
    ["a name without end", () => `{${fill("k", Math.min(room, 1_000_000))}:0}`],
  ];
  return { valid: valid[kind], invalid };
}

/**
 * The most expensive bodies of an operation: for each field of its schema the most it may hold, and what it may not.
 * `base` is a body that is accepted.
 */
export function expensiveBodies(schema: Schema, base: Json, bounds: Bounds): Expensive[] {
  const bodies = new Map<string, Expensive>();
  for (const [at, { element, ...found }] of spotsOf(schema).entries()) {
    const spot = { ...found, element: found.path.length > 0 ? element : JSON.stringify(base) };
    for (const [kind, fillingsOfKind] of Object.entries(fillings(spot, at, bounds)))
      for (const [filling, json] of fillingsOfKind) {
        const name = `${spot.path.join(".") || "the body"}: ${filling}`;
        const body = { name, isValid: kind === "valid", text: withSpot(base, spot, json) };
        if (!bodies.has(name)) bodies.set(name, body);
      }
  }
  return [...bodies.values()];
}

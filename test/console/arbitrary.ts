import fc from "fast-check";
import type { z } from "zod";

/** How often what may be missing is missing: null, undefined, empty lists. */
export type Gaps = "always" | "never" | "sometimes";

type Schema = z.core.$ZodTypes;
type Making = fc.Arbitrary<unknown>;

/** Every schema of zod is one of these; the type that its fields declare is only the base of them. */
const known = (schema: z.core.$ZodType): Schema => schema as Schema;

/** What the checks of a schema leave of all texts, numbers or lists. */
interface Bounds {
  minimum?: number;
  maximum?: number;
  format?: string;
  pattern?: RegExp;
}

function boundsOf({ _zod: { def } }: Schema): Bounds {
  const bounds: Bounds = {};
  // A schema of a format has it in its own definition: z.uuid(), z.int().
  const given = "format" in def ? [{ _zod: { def } }, ...(def.checks ?? [])] : (def.checks ?? []);
  for (const { _zod: check } of given) {
    const one: Readonly<Record<string, unknown>> = { ...check.def };
    const { minimum, maximum, length, value, format, pattern } = one;
    if (typeof minimum === "number") bounds.minimum = minimum;
    if (typeof maximum === "number") bounds.maximum = maximum;
    if (typeof length === "number") Object.assign(bounds, { minimum: length, maximum: length });
    if (typeof value === "number") bounds[one.check === "greater_than" ? "minimum" : "maximum"] = value;
    if (typeof format === "string") bounds.format ??= format;
    if (pattern instanceof RegExp) bounds.pattern ??= pattern;
  }
  return bounds;
}

const charsMax = 24;
const membersMax = 3;

const time = fc
  .integer({ min: Date.parse("2020-01-01"), max: Date.parse("2030-01-01") })
  .map((ms) => new Date(ms).toISOString());

const byFormat: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.uuid(),
  email: fc.emailAddress(),
  url: fc.webUrl(),
  datetime: time,
  date: time.map((text) => text.slice(0, 10)),
};

/** Printable texts, including markup; a minimum length is reached by repeating. */
function textOf({ minimum = 0, maximum = charsMax, format, pattern }: Bounds): fc.Arbitrary<string> {
  const formatted = byFormat[format ?? ""];
  if (formatted) return formatted;
  if (pattern) return fc.stringMatching(pattern, { size: "small" });
  const [minLength, maxLength] = [minimum, Math.max(minimum, Math.min(maximum, charsMax))];
  return fc.oneof(
    fc.string({ minLength, maxLength }),
    fc
      .constantFrom("Älter & <b>neu</b>", "a 'b' \"c\"", "数据")
      .map((text) => text.padEnd(minLength, "x").slice(0, maximum)),
  );
}

function numberOf({ minimum: min = 0, maximum, format = "" }: Bounds): Making {
  const max = maximum ?? min + 1_000_000;
  if (format.includes("int")) return fc.integer({ min: Math.ceil(min), max: Math.min(max, 2 ** 31 - 1) });
  // Few digits: money and shares, not the edges of the format.
  const finest = fc.integer({ min: Math.ceil(min * 1e4), max: Math.floor(Math.min(max, 1e9) * 1e4) });
  return finest.map((units) => units / 1e4);
}

function maybe(inner: Making, gap: null | undefined, gaps: Gaps): Making {
  if (gaps === "always") return fc.constant(gap);
  return gaps === "never" ? inner : fc.option(inner, { nil: gap, freq: 2 });
}

/** Fields that the contract has as texts and the server fills with decimals or days alone. */
const decimals =
  /(^|_)(eur|usd|amount|balance|input|output|details|write|write_1h|reasoning|request|searches|change|before|after)$/;
const days = /(^as_of|^rate_date|^date|expires_at)$/;
const decimal = fc
  .tuple(fc.constantFrom("", "-"), fc.nat(99_999), fc.nat(999_999_999))
  .map(([sign, units, rest]) => `${sign}${units}.${String(rest).padStart(12, "0")}`);

/** A text without a check, by the name of its field. */
function named(name: string, schema: Schema): Making | undefined {
  const { def } = schema._zod;
  if (def.type !== "string" || (def.checks ?? []).length > 0 || "format" in def) return undefined;
  return decimals.test(name) ? decimal : days.test(name) ? byFormat.date : undefined;
}

function objectOf(shape: Readonly<Record<string, z.core.$ZodType>>, gaps: Gaps, depth: number): Making {
  const members = Object.entries(shape).map(([name, schema]) => [
    name,
    making(schema, gaps, depth + 1, name),
  ]);
  return fc
    .record(Object.fromEntries(members))
    .map((made: object) =>
      Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)),
    );
}

const anyJson = fc.jsonValue({ maxDepth: 2 });
const depthMax = 12;

/** The schema's own kind, without its checks. */
function plain(schema: Schema, gaps: Gaps, depth: number, name: string): Making {
  const { def } = schema._zod;
  const inside = (inner: z.core.$ZodType) => making(inner, gaps, depth + 1, name);
  switch (def.type) {
    case "string":
      return textOf(boundsOf(schema));
    case "number":
      return numberOf(boundsOf(schema));
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "undefined":
      return fc.constant(undefined);
    case "literal":
      return fc.constantFrom(...def.values);
    case "enum":
      return fc.constantFrom(...Object.values(def.entries));
    case "object":
      return objectOf(def.shape, gaps, depth);
    case "array": {
      const { minimum = 0, maximum = membersMax } = boundsOf(schema);
      const fewest = gaps === "never" ? Math.max(minimum, Math.min(1, maximum)) : minimum;
      const most = gaps === "always" ? fewest : Math.max(fewest, Math.min(maximum, membersMax));
      return fc.array(inside(def.element), { minLength: fewest, maxLength: most });
    }
    case "record":
      return fc.dictionary(inside(def.keyType) as fc.Arbitrary<string>, inside(def.valueType), {
        maxKeys: gaps === "always" ? 0 : membersMax,
      });
    case "tuple":
      return fc.tuple(...def.items.map(inside));
    case "union":
      return fc.oneof(...def.options.map(inside));
    case "nullable":
      return maybe(inside(def.innerType), null, depth > depthMax ? "always" : gaps);
    case "optional":
      return maybe(inside(def.innerType), undefined, depth > depthMax ? "always" : gaps);
    case "default":
    case "prefault":
    case "readonly":
    case "nonoptional":
    case "catch":
      return inside(def.innerType);
    case "lazy":
      return inside(def.getter());
    case "pipe":
      return inside(def.in);
    case "intersection":
      return fc
        .tuple(inside(def.left), inside(def.right))
        .map(([left, right]) => Object.assign({}, left, right));
    case "unknown":
    case "any":
    case "custom":
      return anyJson;
    default:
      throw new Error(`No values are made for zod's ${def.type}`);
  }
}

/** Checked as the server checks it, so that nothing is drawn that it could not send. */
function making(schema: z.core.$ZodType, gaps: Gaps, depth: number, name = ""): Making {
  const one = known(schema);
  const made = named(name, one) ?? plain(one, gaps, depth, name);
  return (one._zod.def.checks ?? []).length === 0 ? made : made.filter((value) => fits(one, value));
}

function fits(schema: Schema, value: unknown): boolean {
  const result = schema._zod.run({ value, issues: [] }, {});
  return !(result instanceof Promise) && result.issues.length === 0;
}

/** Any value that a schema of the contract takes, before its transformations. */
export const arbitraryOf = <S extends z.ZodType>(
  schema: S,
  gaps: Gaps = "sometimes",
): fc.Arbitrary<z.input<S>> =>
  // What is made follows the schema step by step, which types cannot follow.
  making(schema, gaps, 0) as fc.Arbitrary<z.input<S>>;

interface SampleOptions {
  readonly gaps?: Gaps;
  readonly seed?: number;
}

/** One value of a schema, the same every time; by default with everything in it that may be missing. */
export function sampleOf<S extends z.ZodType>(
  schema: S,
  { gaps = "never", seed = 1 }: SampleOptions = {},
): z.input<S> {
  const [value] = fc.sample(arbitraryOf(schema, gaps), { seed, numRuns: 1 });
  if (value === undefined) throw new Error("Nothing was made of the schema");
  return value;
}

import { expect, test } from "vitest";
import { z } from "zod";
import { appRouter } from "./root.ts";

type Path = readonly (string | number)[];
interface Described {
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly anyOf?: readonly Described[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Described>>;
}

/** The path of every date and time in an input. */
function timesIn(schema: Described, root: Described, path: Path = []): { path: Path; format: string }[] {
  const target = schema.$ref ? root.$defs?.[schema.$ref.split("/").at(-1) ?? ""] : schema;
  if (!target || path.length > 8) return [];
  const own =
    target.format === "date" || target.format === "date-time" ? [{ path, format: target.format }] : [];
  return [
    ...own,
    ...Object.entries(target.properties ?? {}).flatMap(([name, inner]) =>
      timesIn(inner, root, [...path, name]),
    ),
    ...(target.items ? timesIn(target.items, root, [...path, 0]) : []),
    ...(target.anyOf ?? []).flatMap((one) => timesIn(one, root, path)),
  ];
}

const at = (path: Path, value: unknown): unknown =>
  path.reduceRight<unknown>((inner, key) => (typeof key === "number" ? [inner] : { [key]: inner }), value);

// The router's type knows each procedure by name; here all are handled alike.
const procedures = Object.entries(
  appRouter._def.procedures as unknown as Record<string, { _def: { inputs: readonly unknown[] } }>,
);
const inputs = procedures.flatMap(([name, { _def }]) =>
  _def.inputs.flatMap((input) => (input instanceof z.ZodType ? [{ name, input }] : [])),
);
const described = (input: z.ZodType): Described =>
  z.toJSONSchema(input, { unrepresentable: "any", io: "input" }) as Described;
const times = inputs.flatMap(({ name, input }) => {
  const schema = described(input);
  return timesIn(schema, schema).map((time) => ({ name, input, ...time, where: time.path.join(".") }));
});

const wrong: Readonly<Record<string, readonly string[]>> = {
  date: ["0000-01-01", "0001-01-01", "1969-12-31", "10000-01-01", "+010000-01-01", "2026-02-30", "soon"],
  "date-time": [
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00Z",
    "1969-12-31T23:59:59Z",
    "1970-01-01T00:30:00+01:00",
    "9999-12-31T23:59:59-01:00",
    "+010000-01-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "soon",
  ],
};

test("inputs with dates and times are found", () => {
  expect(times.map(({ name, where }) => `${name} ${where}`)).toEqual(
    expect.arrayContaining([
      "activity.report from",
      "audit.list to",
      "keys.create expires_at",
      "refusedRequests.list from",
    ]),
  );
});

test.each(times)("$name refuses impossible dates and times, naming $where", ({ input, path, format }) => {
  for (const value of wrong[format] ?? []) {
    const issues = input.safeParse(at(path, value)).error?.issues ?? [];
    // In a union the issues belong to the alternatives.
    const named = issues.filter(
      (issue) => issue.path.length > 0 && issue.path.every((key, depth) => key === path[depth]),
    );
    expect(named.length, value).toBeGreaterThan(0);
  }
});

const spans = inputs.filter(({ input }) => {
  const { properties = {} } = described(input);
  return "from" in properties && "to" in properties;
});

/** The other required fields of an input. */
const others = { group: "model", group_by: "model" };

test("inputs with a time span are found", () => {
  expect(spans.length).toBeGreaterThan(4);
});

test.each(spans)("$name refuses a time span that ends before it starts, and accepts others", ({ input }) => {
  const { properties } = described(input);
  const isDay = properties?.from?.format === "date" || properties?.from?.anyOf?.[0]?.format === "date";
  const [early, late] = isDay
    ? ["2026-01-01", "2026-01-02"]
    : ["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"];
  const asked = Object.fromEntries(Object.entries(others).filter(([name]) => name in (properties ?? {})));
  expect(input.safeParse({ ...asked, from: late, to: early }).error?.issues).toMatchObject([
    { path: ["to"] },
  ]);
  for (const to of [early, late])
    expect(input.safeParse({ ...asked, from: early, to }).error).toBeUndefined();
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { answered } from "#contract/answered.ts";
import { FilterRules } from "#contract/destination-filter.ts";
import { ProviderPreferences } from "#contract/preferences.ts";
import { appRouter } from "./root.ts";

interface Described {
  readonly [name: string]: unknown;
}

/** Checks that limit the size of a value. Texts made by the server have their own formats: ids, times, amounts. */
const limits = [
  "maxLength",
  "minLength",
  "maxItems",
  "minItems",
  "maxProperties",
  "minProperties",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "uniqueItems",
];
const unlimited = { minimum: [0, 1, Number.MIN_SAFE_INTEGER], maximum: [1, Number.MAX_SAFE_INTEGER] };
const formsOfOurs = new Set(["^[0-9A-Za-z]{12}$", "^-?\\d+\\.\\d{6}$"]);

/** Every path of a JSON schema that limits a value beyond its type. */
function limited(schema: unknown, path: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one) => limited(one, path));
  if (typeof schema !== "object" || schema === null) return [];
  const own: Described = { ...schema };
  const isTime = own.format === "date-time";
  const found = limits
    .filter((name) => own[name] !== undefined && !(isTime && name === "maxLength"))
    .map((name) => `${path} ${name}`);
  for (const [name, allowed] of Object.entries(unlimited))
    if (typeof own[name] === "number" && !allowed.includes(own[name]))
      found.push(`${path} ${name} ${own[name]}`);
  if (typeof own.pattern === "string" && own.format === undefined && !formsOfOurs.has(own.pattern))
    found.push(`${path} pattern ${own.pattern}`);
  return [...found, ...Object.entries(own).flatMap(([name, inner]) => limited(inner, `${path}.${name}`))];
}

test("no output has the limits of an input, so everything that was stored can be returned", () => {
  // The router's type knows each procedure by name; here all are handled alike.
  const all = appRouter._def.procedures as unknown as Record<string, { _def: { output?: unknown } }>;
  const procedures = Object.entries(all);
  expect(procedures.length).toBeGreaterThan(80);
  for (const [name, procedure] of procedures) {
    const { output } = procedure._def;
    if (output instanceof z.ZodType)
      expect(limited(z.toJSONSchema(output, { unrepresentable: "any" }), name)).toEqual([]);
  }
});

test("an output returns every valid input, and larger values, unchanged", () => {
  const Answered = answered(ProviderPreferences);
  const slugs = fc.array(fc.string({ maxLength: 300 }), { maxLength: 300 });
  fc.assert(
    fc.property(
      fc.record(
        {
          order: fc.option(slugs),
          only: slugs,
          ignore: slugs,
          allow_fallbacks: fc.boolean(),
          sort: fc.constantFrom("price", { by: "latency", partition: null }),
          quantizations: fc.array(fc.constantFrom("fp8", "int4"), { maxLength: 40 }),
          data_residency: fc.constantFrom("eu", "de+fr", "eea+us"),
          max_retention_days: fc.integer(),
          max_price: fc.record({ prompt: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
          preferred_max_latency: fc.constantFrom(0, { p50: 0 }),
        },
        { requiredKeys: [] },
      ),
      (told) => {
        expect(Answered.parse(told)).toEqual(told);
      },
    ),
  );
  const groups = Array.from({ length: 30 }, () => ({ logic: "or", rules: [] }));
  expect(answered(FilterRules).parse({ enabled: true, groups })).toEqual({ enabled: true, groups });
  expect(Answered.safeParse({ sort: "beauty" }).success).toBe(false);
});

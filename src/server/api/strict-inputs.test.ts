import { expect, test } from "vitest";
import { z } from "zod";
import { appRouter } from "./root.ts";

interface Described {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly additionalProperties?: unknown;
  readonly items?: Described;
  readonly anyOf?: readonly Described[];
  readonly oneOf?: readonly Described[];
  readonly allOf?: readonly Described[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Described>>;
}

/** Paths of an input where an unknown field would be silently dropped or stored. */
function looseIn(schema: Described, root: Described, path = "body", depth = 0): string[] {
  const target = schema.$ref ? root.$defs?.[schema.$ref.split("/").at(-1) ?? ""] : schema;
  if (!target || depth > 8) return [];
  const inner = (one: Described, at: string) => looseIn(one, root, at, depth + 1);
  return [
    ...(target.properties && target.additionalProperties !== false ? [path] : []),
    ...Object.entries(target.properties ?? {}).flatMap(([name, one]) => inner(one, `${path}.${name}`)),
    ...(target.items ? inner(target.items, `${path}[]`) : []),
    ...[...(target.anyOf ?? []), ...(target.oneOf ?? []), ...(target.allOf ?? [])].flatMap((one) =>
      inner(one, path),
    ),
  ];
}

interface Procedure {
  readonly _def: {
    readonly type: string;
    readonly inputs: readonly unknown[];
    readonly meta?: { readonly openapi?: { readonly path?: string } };
  };
}
// The router's type knows each procedure by name; here all are handled alike.
const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>);

/** Clients of other APIs send these more fields than they accept. */
const open = [
  "inference.",
  "authorization.exchange ",
  "destinations.testUnsaved ",
  "messages.countTokens ",
  "responses.compact ",
  "responses.inputTokens ",
  "conversations.",
];

test("no mutation silently drops an unknown field, at any depth", () => {
  const changes = procedures.flatMap(([name, { _def }]) =>
    _def.inputs.flatMap((input) => {
      if (_def.type !== "mutation" || !(input instanceof z.ZodType)) return [];
      const schema = z.toJSONSchema(input, { unrepresentable: "any", io: "input" }) as Described;
      const sent = schema.properties && Object.keys(schema.properties);
      // The path contains the complete input.
      if (sent?.every((field) => _def.meta?.openapi?.path?.includes(`{${field}}`))) return [];
      return [{ name, loose: looseIn(schema, schema).map((path) => `${name} ${path}`) }];
    }),
  );
  expect(changes.length).toBeGreaterThan(20);
  const loose = changes.flatMap((one) => one.loose);
  expect(loose.filter((one) => !open.some((name) => one.startsWith(name)))).toEqual([]);
  for (const name of open)
    expect(
      loose.some((one) => one.startsWith(name)),
      name,
    ).toBe(true);
});

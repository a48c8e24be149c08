import type { z } from "zod";
import { appRouter } from "#server/api/root.ts";
import { destinationKinds } from "#server/destinations/registry.ts";

/** Every schema that something a client sends is checked by, under the name of what it asks for. */
export const requestSchemas: readonly (readonly [string, z.ZodType])[] = [
  ...Object.entries(
    appRouter._def.procedures as unknown as Record<string, { _def: { inputs: readonly z.ZodType[] } }>,
  ).flatMap(([name, { _def }]) => _def.inputs.map((input) => [name, input] as const)),
  ...destinationKinds.map(({ type, config }) => [`config of a destination ${type}`, config] as const),
];

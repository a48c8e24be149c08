import type { z } from "zod";

/** What is wrong with the fields of a form, by their names. */
export type FieldErrors = Readonly<Record<string, string | undefined>>;

/** The errors of a body by field, one message each, from a schema of the contract; empty when it is valid. */
export function fieldErrorsOf(schema: z.ZodType, body: unknown): FieldErrors {
  const issues = schema.safeParse(body).error?.issues ?? [];
  // The first of several about one field wins.
  return Object.fromEntries(issues.map(({ path, message }) => [String(path[0]), message]).toReversed());
}

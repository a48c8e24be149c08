import type { z } from "zod";

/** What is wrong with the fields of a form, by their names. */
export type FieldErrors = Readonly<Record<string, string | undefined>>;

/** What a schema of the contract says against a body, one sentence a field; empty when it may be sent. */
export function fieldErrorsOf(schema: z.ZodType, body: unknown): FieldErrors {
  const issues = schema.safeParse(body).error?.issues ?? [];
  // The first of several about one field wins.
  return Object.fromEntries(issues.map(({ path, message }) => [String(path[0]), message]).toReversed());
}

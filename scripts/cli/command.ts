export type Json = Record<string, unknown>;
export type Values = Record<string, string | boolean | undefined>;

export interface Command {
  readonly usage: string;
  readonly about: string;
  readonly call: (values: Values, argument: string) => { method: string; path: string; body?: Json };
  /** The answer as text. With `--json` it is printed unchanged. */
  readonly show: (answer: Json, argument: string) => string;
}

/** A problem the user can solve. It is printed without a stack. */
export class Problem extends Error {}

export const text = (value: Values[string]): string | undefined =>
  typeof value === "string" ? value : undefined;
export const list = (value: Values[string]): string[] | undefined =>
  text(value)
    ?.split(",")
    .map((part) => part.trim())
    .filter(Boolean);
export const amount = (value: Values[string]): number | undefined =>
  text(value) === undefined ? undefined : Number(value);

/** Rows under their headings, in columns of equal width. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export const rowsIn = (answer: Json): Json[] => answer.data as Json[];
export const recordIn = (answer: Json): Json => answer.data as Json;

export type Json = Record<string, unknown>;
export type Values = Record<string, string | boolean | undefined>;

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: Json;
}

interface Shown {
  readonly usage: string;
  readonly about: string;
  /** The answer as text. With `--json` it is printed unchanged. */
  readonly show: (answer: Json, argument: string) => string;
  /** The exit code if it is not 0. */
  readonly exitCode?: (answer: Json) => number;
}

/** A command sends one request, or runs several and returns what is shown. */
export type Command = Shown &
  (
    | { readonly call: (values: Values, argument: string) => Request; readonly run?: never }
    | { readonly run: (values: Values, argument: string) => Promise<Json>; readonly call?: never }
  );

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

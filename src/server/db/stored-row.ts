import { ZodError, type ZodType } from "zod";
import { describeIssues } from "#server/platform/describe-issues.ts";
import type { Log } from "#server/platform/log.ts";

/** What was read of a stored row, or why it cannot be read: another version stored it, or under other limits. */
type Read<Value> =
  | { readonly value: Value; readonly problem: null }
  | { readonly value: null; readonly problem: string };

const shownCharsMax = 64;

function problemIn(error: unknown): string {
  if (!(error instanceof ZodError)) return error instanceof Error ? error.message : String(error);
  const issues = describeIssues(error.issues);
  return issues.map(({ path, message }) => [path, message].filter(Boolean).join(": ")).join("; ");
}

/** Reads a row without throwing: the caller decides what it means that a row cannot be read. */
export function readRow<Value>(read: () => Value): Read<Value> {
  try {
    return { value: read(), problem: null };
  } catch (error) {
    return { value: null, problem: problemIn(error) };
  }
}

/** The schema of each column whose type in the database is wider, and what stands for a value that it refuses. */
type ColumnSchemas<Values extends object> = {
  readonly [Name in keyof Values]: readonly [schema: ZodType<Values[Name]>, standIn: NoInfer<Values[Name]>];
};

/**
 * Reads columns that the database types more widely than the contract: names of an enumeration, JSON. A row that
 * another version stored is still shown: `problem` says which column cannot be read, and why.
 */
export function readColumns<const Values extends object>(
  row: NoInfer<{ readonly [Name in keyof Values]: unknown }>,
  schemas: ColumnSchemas<Values>,
): Values & { readonly problem: string | null } {
  const problems: string[] = [];
  const columns = Object.entries(schemas) as [keyof Values & string, ColumnSchemas<Values>[keyof Values]][];
  const values = columns.map(([name, [schema, standIn]]) => {
    const { data, error } = schema.safeParse(row[name]);
    if (!error) return [name, data];
    const stored = typeof row[name] === "string" ? ` (stored: ${row[name].slice(0, shownCharsMax)})` : "";
    const issues = error.issues.map((issue) => ({ ...issue, path: [name, ...issue.path] }));
    problems.push(`${problemIn(new ZodError(issues))}${stored}`);
    return [name, standIn];
  });
  // Each value was accepted by the schema of its column, or is its stand-in.
  return { ...(Object.fromEntries(values) as Values), problem: problems.join("; ") || null };
}

/** Says which row cannot be read, and why. */
export type ReportRow = (table: string, id: string, problem: string) => void;

/** Logs each row that cannot be read once, as it is loaded again with every change of the configuration. */
export function createRowReport(log: Log): ReportRow {
  const known = new Set<string>();
  return (table, id, problem) => {
    const reason = `${table} ${id}: ${problem}`;
    if (known.has(reason)) return;
    known.add(reason);
    log.error({ event: "unreadable-row", reason }, "A stored row cannot be read; the others are used");
  };
}

/** Reports the items of a list whose rows cannot be read, and returns all of them. */
export function reporting<Item extends { readonly id: string; readonly problem: string | null }>(
  report: ReportRow,
  table: string,
  items: Item[],
): Item[] {
  for (const { id, problem } of items) if (problem !== null) report(table, id, problem);
  return items;
}

interface Reading<Row, Value> {
  readonly table: string;
  readonly report: ReportRow;
  readonly read: (row: Row) => Value;
  /** What stands for a row that cannot be read; without it the row is left out. */
  readonly instead?: (row: Row) => Value;
}

/** Reads rows one by one, so that none prevents the others from being used. */
export const readRows = <Row extends { readonly id: string }, Value>(
  rows: readonly Row[],
  { table, report, read, instead }: Reading<Row, Value>,
): Value[] =>
  rows.flatMap((row) => {
    const { value, problem } = readRow(() => read(row));
    if (problem === null) return [value as Value];
    report(table, row.id, problem);
    return instead ? [instead(row)] : [];
  });

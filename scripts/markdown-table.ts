/** A table of Markdown with columns of equal width, at least 3; the first row is its head. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const columns =
    rows[0]?.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(columns[column] ?? 0)).join(" | ")} |`;
  const rule = columns.map((width) => "-".repeat(width));
  const [head = [], ...body] = rows;
  return [head, rule, ...body].map(line).join("\n");
}

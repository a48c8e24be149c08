import { stringify } from "csv-stringify/browser/esm/sync";
import type { UsageReportRow } from "#contract/usage-report.ts";
import { type Group, groupValue, type NameOf } from "./groups.ts";

const figures = [
  "requests",
  "errors",
  "prompt_tokens",
  "completion_tokens",
  "cached_tokens",
  "reasoning_tokens",
  "search_units",
  "cost_eur",
  "cost_usd",
  "upstream_usd",
] as const;

/** A report for spreadsheets: amounts are exact, and names cannot become formulas. */
export const csvOf = (rows: readonly UsageReportRow[], group: Group, nameOf: NameOf): string =>
  stringify(
    rows.map((row) => [
      row.day,
      groupValue(row, group) ?? "",
      nameOf(group, groupValue(row, group)),
      ...figures.map((figure) => row[figure]),
    ]),
    { header: true, columns: ["day", group, "name", ...figures], escape_formulas: true },
  );

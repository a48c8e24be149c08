import { stringify } from "csv-stringify/browser/esm/sync";
import type { GenerationLine } from "#contract/generation.ts";

const columns = [
  ...["id", "started_at", "operation", "model", "provider", "region", "status", "error_code", "http_status"],
  ...["streamed", "attempts", "tokens_in", "tokens_out", "cost_eur", "latency_ms", "duration_ms"],
  ...["api_key_id", "key", "app_title", "user_reference", "session_id", "tags"],
];

/** Requests for spreadsheets, with exact costs; texts cannot become formulas. */
export const csvOf = (lines: readonly GenerationLine[], nameOfKey: (id: string) => string): string =>
  stringify(
    lines.map((line) => ({
      ...line,
      key: nameOfKey(line.api_key_id),
      streamed: line.streamed ? "yes" : "no",
      tags: Object.keys(line.tags).length > 0 ? JSON.stringify(line.tags) : null,
    })),
    { header: true, columns, escape_formulas: true },
  );

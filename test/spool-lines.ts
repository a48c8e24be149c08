import type { GenerationRow } from "#server/billing/index.ts";
import { encodeRecord, type SpoolRecordType } from "#server/billing/spool-record.ts";

/** A record of a generation as a spool has it. */
export const spoolLine = (type: Exclude<SpoolRecordType, "MARK">, row: GenerationRow): string =>
  encodeRecord(type, row.id, JSON.stringify(row));

/** The row that is spooled when a request is admitted. */
export const admitted = (row: GenerationRow): GenerationRow => ({
  ...row,
  status: "interrupted",
  http_status: 500,
  completion_tokens: 0,
  cost_pico_eur: "0",
});

import { type Admission, atAdmission, type GenerationRow } from "#server/billing/index.ts";
import { encodeRecord, type SpoolRecordType } from "#server/billing/spool-record.ts";

/** A record of a generation as a spool has it. */
export const spoolLine = (type: Exclude<SpoolRecordType, "MARK">, row: Admission | GenerationRow): string =>
  encodeRecord(type, row.id, JSON.stringify(row));

/** What is spooled when the request of a row is admitted. */
export function admitted(row: GenerationRow): Admission {
  const columns = Object.entries(row).filter(([name]) => !(name in atAdmission));
  // The columns of an admission are those of a row that remain.
  return Object.fromEntries(columns) as unknown as Admission;
}

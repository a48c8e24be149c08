import type { GenerationRow } from "./generation-row.ts";
import { noCost } from "./price.ts";
import { costColumns, usageColumns } from "./row-columns.ts";
import { noUsage } from "./usage.ts";

/** What the rows of all generations contain before any provider is asked. ADMIT records leave it out. */
export const atAdmission = {
  ...{ model: null, provider: null, endpoint: null, region: null, credential_id: null, price_version: null },
  ...{ status: "interrupted", error_code: null, http_status: 500, cancelled: false },
  ...{ finish_reason: null, native_finish_reason: null },
  ...{ attempts: [], attempt_ms: null, latency_ms: null, duration_ms: 0 },
  ...{ ...usageColumns(noUsage), ...costColumns(noCost), is_byok: false },
} as const satisfies Partial<GenerationRow>;

/** A row before any provider is asked. */
export type Admission = Omit<GenerationRow, keyof typeof atAdmission>;

import { stringify } from "csv-stringify/browser/esm/sync";
import type { DataFlowRequest } from "#contract/data-flows.ts";

const columns = [
  ...["id", "started_at", "operation", "model", "status", "api_key_id", "user_id", "end_user", "session_id"],
  ...["recipients", "is_stored"],
];

/** Requests for spreadsheets; texts cannot become formulas. Recipients are `endpoint outcome`, in their order. */
export const csvOf = (requests: readonly DataFlowRequest[]): string =>
  stringify(
    requests.map((one) => ({
      ...one,
      recipients: one.recipients.map(({ endpoint, outcome }) => `${endpoint} ${outcome}`).join("; "),
      is_stored: one.is_stored ? "yes" : "no",
    })),
    { header: true, columns, escape_formulas: true },
  );

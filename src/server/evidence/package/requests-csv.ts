import { stringify } from "csv-stringify/sync";
import type { KnownDocuments } from "./known-documents.ts";
import type { PackagedRequest } from "./packaged-requests.ts";

const columns = [
  ...["id", "started_at", "operation", "model", "status", "api_key_id", "user_id", "end_user", "session_id"],
  ...["recipients", "destinations", "decision", "facts", "receipt_hash", "log_index"],
];

export const csvHeader = `${columns.join(",")}\n`;

/** One line per request; texts cannot become formulas of a spreadsheet. */
export const csvLines = (requests: readonly PackagedRequest[], documents: KnownDocuments): string =>
  stringify(
    requests.map((one) => ({
      ...one,
      recipients: one.recipients.map(({ endpoint, outcome }) => `${endpoint} ${outcome}`).join("; "),
      destinations: one.destinations.map(({ id, content }) => `${id} ${content}`).join("; "),
      facts: [...new Set(one.recipients.map(({ endpoint }) => endpoint))]
        .map((endpoint) => documents.factsOf(one.decision)?.get(endpoint)?.hash ?? "unknown")
        .join("; "),
      receipt_hash: one.receiptHash,
      log_index: one.logIndex ?? "",
    })),
    { columns, escape_formulas: true },
  );

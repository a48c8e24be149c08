export { type Database, openDatabase, type Statement, type Tx } from "./client.ts";
export { raiseConfigVersion } from "./config-version.ts";
export { containing } from "./containing.ts";
export { type CostDetails, costPartsOf } from "./cost-parts.ts";
export { followDatabaseClock } from "./database-clock.ts";
export type { BasisBody, DecisionBasis, StoredDocument } from "./decision-basis.ts";
export { type EmbeddedDatabase, startEmbedded } from "./embedded.ts";
export { connectionProblem, isDataRefusal } from "./errors.ts";
export {
  type AttemptColumns,
  type AttemptRecord,
  attemptColumns,
  attemptsOf,
  type GenerationRow,
  hasFallback,
  hasFallbackSql,
  type TraceRecipient,
} from "./generation-row.ts";
export { joined } from "./joined.ts";
export { jsonNull } from "./json-null.ts";
export { migrate } from "./migrate.ts";
export { MigrationError, pendingMigrations } from "./migration-state.ts";
export {
  addMonths,
  firstIdOf,
  type MonthPartition,
  monthPartitions,
  startOfMonthMs,
  timeMsOfId,
  timeOfId,
} from "./months.ts";
export { newestFirst, type Page, type RowWindow, readPage, windowOf } from "./page.ts";
export {
  type BookedReceipt,
  isPersonal,
  personalText,
  receipted,
  receiptHash,
  receiptTextsOf,
} from "./receipt-text.ts";
export { type ReadReports, Replica, readingFrom } from "./replica.ts";
export { rewriteTables } from "./rewrite.ts";
export { createRowCache } from "./row-cache.ts";
export { takeSessionLock } from "./session-lock.ts";
export { type Freshness, freshnessOf, openSnapshot, type Snapshot } from "./snapshot.ts";
export { storedDocument } from "./stored-document.ts";
export { erasePersonal, generationRowOf } from "./stored-generation.ts";
export { type ReportRow, readColumns, readRow, readRows, reporting } from "./stored-row.ts";
export { isUniqueViolation, namingConflict } from "./unique-constraints.ts";
export { asInteractive, faultMet, inBackground, queueAs, waitFor, waitInTime } from "./waiting.ts";

export { type Admission, atAdmission } from "./admission.ts";
export { auditMoney } from "./audit-money.ts";
export { type Billing, openBilling } from "./billing.ts";
export type { BookingWriter, Outbox } from "./book-generations.ts";
export { bookHours, bookUsage } from "./book-usage.ts";
export { adjustCredit, refundGeneration } from "./correct.ts";
export { type CounterOfRecord, countedBy, countersText } from "./counted.ts";
export { type Balance, readBalance } from "./credit-leases.ts";
export type { AttemptRecord, BookedRow, GenerationRow } from "./generation-row.ts";
export { grantCredit } from "./grant.ts";
export type { Counter, Hold } from "./hold.ts";
export { percentileOf } from "./latency-histogram.ts";
export type { Amounts, LeasedCounter } from "./leasing.ts";
export { listTransfers } from "./ledger.ts";
export { deleteOldRequests } from "./old-requests.ts";
export { type Cost, costOf, costUpperBound, noCost } from "./price.ts";
export { unbookedGenerations } from "./replay.ts";
export { costColumns, usageColumns } from "./row-columns.ts";
export {
  estimateStreamed,
  estimateTokens,
  noUsage,
  promptTokens,
  tokensOfBytes,
  type Usage,
  usageFigures,
  usageFromOpenAi,
} from "./usage.ts";
export { noWorkspace, summed as summedColumns, sumUsage } from "./usage-sums.ts";

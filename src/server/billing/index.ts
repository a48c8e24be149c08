export { type Billing, openBilling } from "./billing.ts";
export type { Hold } from "./credit.ts";
export { type Balance, readBalance } from "./credit-leases.ts";
export type { AttemptRecord, GenerationRow } from "./generation-row.ts";
export { grantCredit } from "./grant.ts";
export { type Cost, costOf, costUpperBound, noCost } from "./price.ts";
export { estimateTokens, noUsage, promptTokens, type Usage, usageFromOpenAi } from "./usage.ts";

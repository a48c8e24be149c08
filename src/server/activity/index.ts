export { activityItems } from "./activity-items.ts";
export { balanceEur, firstSteps } from "./first-steps.ts";
export { generationRecord } from "./generation-record.ts";
export { findGeneration, listGenerations } from "./generations.ts";
export { overviewOf } from "./overview.ts";
export { findRefusedRequest, listRefusedRequests } from "./read-refused-requests.ts";
export {
  purgeRefusedRequests,
  RefusedRequests,
} from "./refused-requests.ts";
export { requestFlows } from "./request-flows.ts";
export { listSessions } from "./sessions.ts";
export { completeSums, sumDay } from "./sums/complete-sums.ts";
export { usageReport, usageSeries } from "./usage-report.ts";
export { generationVolume } from "./volume.ts";

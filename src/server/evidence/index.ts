export { reportDataFlows } from "./data-flows.ts";
export { buildPackage } from "./package/build-package.ts";
export { replayAll } from "./replay/replay-all.ts";
export { replayGeneration } from "./replay/replay-generation.ts";
export { listDataFlowRequests } from "./requests.ts";
export { eraseSubject } from "./subjects/erase-subject.ts";
export { createErasure, type ErasureDeps, getErasure, listErasures } from "./subjects/erasures.ts";
export { exportSubject } from "./subjects/export-subject.ts";
export { subjectPurpose } from "./subjects/subject.ts";

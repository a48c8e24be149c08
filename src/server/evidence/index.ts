export { reportDataFlows } from "./data-flows.ts";
export { explainGeneration } from "./explain/explain-generation.ts";
export { explainRefusedRequest } from "./explain/explain-refused-request.ts";
export { buildPackage } from "./package/build-package.ts";
export { openPackageFile, type PackageFile } from "./package/package-file.ts";
export {
  createPackage,
  deletePackage,
  getPackage,
  listPackages,
  purgeExpiredPackages,
} from "./package/packages.ts";
export { replayAll } from "./replay/replay-all.ts";
export { replayGeneration } from "./replay/replay-generation.ts";
export { listDataFlowRequests } from "./requests.ts";
export { eraseSubject } from "./subjects/erase-subject.ts";
export { createErasure, type ErasureDeps, getErasure, listErasures } from "./subjects/erasures.ts";
export { exportSubject } from "./subjects/export-subject.ts";
export { repeatErasures } from "./subjects/repeat-erasures.ts";

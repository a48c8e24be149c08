export { reportDataFlows } from "./data-flows.ts";
export { listDataFlowRequests } from "./requests.ts";

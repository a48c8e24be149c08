export {
  createChannel,
  deleteChannel,
  getChannel,
  listChannels,
  testChannel,
  updateChannel,
} from "./channels.ts";
export { listIncidents } from "./incidents.ts";
export { describeAlertKinds } from "./kind-table.ts";
export { type Alerts, openAlerts } from "./open.ts";
export { createRule, deleteRule, getRule, listRules, updateRule } from "./rules.ts";

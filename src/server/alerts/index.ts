export type { ChannelSecrets } from "./channel-rows.ts";
export {
  askAgain,
  channelSecrets,
  createChannel,
  deleteChannel,
  getChannel,
  listChannels,
  testChannel,
  updateChannel,
} from "./channels.ts";
export { confirmAddress } from "./confirmations.ts";
export type { AlertDeps } from "./deps.ts";
export { listIncidents, updateIncident } from "./incidents.ts";
export { describeAlertKinds } from "./kind-table.ts";
export { type Alerts, openAlerts } from "./open.ts";
export { createRule, deleteRule, getRule, listRules, updateRule } from "./rules.ts";

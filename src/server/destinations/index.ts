export { failureReasons, senderOver } from "./attempt.ts";
export {
  type Broadcast,
  type DestinationIndex,
  loadDestinationIndex,
  type TracePlan,
} from "./broadcast.ts";
export { changedSecret, comparableConfig, resolvedConfig } from "./configuration.ts";
export { listDeliveries, retryDelivery } from "./deliveries.ts";
export type { DestinationDeps } from "./deps.ts";
export {
  createDestination,
  getDestination,
  listDestinations,
  removeDestination,
  updateDestination,
} from "./destinations.ts";
export { type Destinations, openDestinations } from "./open.ts";
export { isSigningSecret, webhookHeaders } from "./standard-webhook.ts";
export { testSaved, testUnsaved } from "./try-out.ts";
export { describeTypes } from "./types.ts";

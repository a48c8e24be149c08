export {
  type Broadcast,
  type DestinationIndex,
  loadDestinationIndex,
  type PlannedTrace,
} from "./broadcast.ts";
export { type Destinations, openDestinations } from "./open.ts";

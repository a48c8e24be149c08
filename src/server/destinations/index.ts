export {
  type Broadcast,
  type DestinationIndex,
  loadDestinationIndex,
  type Planned,
} from "./broadcast.ts";
export { type Destinations, openDestinations } from "./open.ts";

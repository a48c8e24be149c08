import type { Permission } from "#contract/permission.ts";
import type { Standing } from "../_lib/use-may.ts";
import {
  BookIcon,
  BroadcastIcon,
  ChatIcon,
  CoinsIcon,
  GaugeIcon,
  KeyIcon,
  LayersIcon,
  ListIcon,
  RouteIcon,
  ServerIcon,
  SlidersIcon,
} from "./icons.tsx";

export interface Place {
  readonly path: string;
  readonly label: string;
  /** Without it there is nothing to do there. */
  readonly permission?: Permission;
  /** Only for who runs the installation. */
  readonly operator?: true;
}

interface ScreenPlace extends Place {
  readonly description: string;
  readonly Icon: typeof KeyIcon;
}

/** Every screen there is: the navigation and the palette grow from this table. */
export const screens: readonly ScreenPlace[] = [
  { path: "/overview", label: "Overview", description: "Requests, spend, latency, errors", Icon: GaugeIcon },
  {
    path: "/logs",
    label: "Logs",
    description: "Every request with its route, usage and cost",
    Icon: ListIcon,
  },
  {
    path: "/playground",
    label: "Playground",
    description: "Try models side by side",
    Icon: ChatIcon,
    permission: "inference:use",
  },
  {
    path: "/routing-rules",
    label: "Routing rules",
    description: "Which providers may serve a request",
    Icon: RouteIcon,
  },
  {
    path: "/models",
    label: "Models",
    description: "Providers, regions and prices of all models",
    Icon: LayersIcon,
  },
  {
    path: "/providers",
    label: "Providers",
    description: "Providers, their data policies and sources",
    Icon: ServerIcon,
  },
  {
    path: "/destinations",
    label: "Destinations",
    description: "Send traces to other tools",
    Icon: BroadcastIcon,
  },
  { path: "/keys", label: "API keys", description: "Keys with limits and permissions", Icon: KeyIcon },
  { path: "/usage", label: "Usage", description: "Usage, cost, credit and ledger", Icon: CoinsIcon },
  {
    path: "/settings",
    label: "Settings",
    description: "Profile, members, workspaces, audit log",
    Icon: SlidersIcon,
  },
  { path: "/docs", label: "API reference", description: "Every operation of the API", Icon: BookIcon },
];

/** Pages beside a screen that people look for by name; the palette goes there. */
export const pages: readonly ScreenPlace[] = [
  {
    path: "/providers/credentials",
    label: "Provider credentials",
    description: "Your own provider accounts",
    Icon: ServerIcon,
    permission: "byok:read",
  },
  {
    path: "/keys/apps",
    label: "Connected apps",
    description: "Apps that were given a key",
    Icon: KeyIcon,
  },
  {
    path: "/logs/refused",
    label: "Refused requests",
    description: "Requests without an eligible provider",
    Icon: ListIcon,
  },
  {
    path: "/settings/organisations",
    label: "All organisations",
    description: "Create, suspend and delete organisations",
    Icon: SlidersIcon,
    operator: true,
  },
];

/** What the palette can begin; each opens a form of its screen. */
export const creations: readonly Place[] = [
  { path: "/routing-rules?edit=new", label: "Create a routing rule", permission: "routing:write" },
  { path: "/keys?create=true", label: "Create an API key", permission: "keys:write" },
  { path: "/destinations?add=choose", label: "Add a destination", permission: "broadcast:write" },
  {
    path: "/providers/credentials?add=choose",
    label: "Add a provider credential",
    permission: "byok:write",
  },
];

/** The places where somebody who may do so much has something to do. */
export const placesFor = <P extends Place>(
  places: readonly P[],
  { permissions, operator: isOperator }: Standing,
): P[] =>
  places.filter(
    ({ permission, operator }) =>
      (!permission || permissions.includes(permission)) && (!operator || isOperator),
  );

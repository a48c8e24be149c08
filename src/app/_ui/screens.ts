import type { Permission } from "#contract/permission.ts";
import {
  BellIcon,
  BookIcon,
  BookmarkIcon,
  BroadcastIcon,
  ChatIcon,
  CoinsIcon,
  GaugeIcon,
  KeyIcon,
  LayersIcon,
  ListIcon,
  MapIcon,
  PieIcon,
  RouteIcon,
  ServerIcon,
  SlidersIcon,
} from "./icons.tsx";

export interface Restricted {
  /** Only for people with this permission. */
  readonly permission?: Permission;
  /** Only for the operator of the installation. */
  readonly operator?: true;
}

export interface ScreenRow extends Restricted {
  /** The heading, the browser's title, and the entry in the sidebar and the palette. */
  readonly title: string;
  /** One or two sentences below the heading and in the palette. */
  readonly description: string;
  /** Of screens in the sidebar; their subpages share it. A screen with neither icon nor parent is reached by links only. */
  readonly Icon?: typeof KeyIcon;
  /** Path of the screen that this is a subpage of. It has the heading and the tabs of that screen. */
  readonly parent?: string;
  /** Its name among the tabs, where that differs from the title. */
  readonly tab?: string;
  /** The time ranges that `range` in its URL can name, besides custom ones, which screens write in different ways. */
  readonly ranges?: readonly string[];
  /** What the palette can create there; `query` opens the form. */
  readonly create?: { readonly label: string; readonly query: string; readonly permission: Permission };
}

/** Every screen. Sidebar, tabs, palette, headings and browser titles are derived from this table. */
export const screens = {
  "/overview": {
    title: "Overview",
    description: "Requests, spend, latency and errors",
    Icon: GaugeIcon,
    ranges: ["1h", "24h", "7d", "30d"],
  },
  "/logs": {
    title: "Logs",
    tab: "Requests",
    description: "Every request with its route, usage and cost. Prompts and answers only if they are stored.",
    Icon: ListIcon,
    ranges: ["1h", "24h", "7d", "30d"],
  },
  "/logs/sessions": {
    parent: "/logs",
    title: "Sessions",
    description: "Requests of the same session together, such as a conversation or the run of an agent",
    ranges: ["1h", "24h", "7d", "30d"],
  },
  "/logs/refused": {
    parent: "/logs",
    title: "Refused requests",
    tab: "Refused",
    description: "Requests refused before a provider was contacted. Similar refusals on one day are grouped.",
  },
  "/playground": {
    title: "Playground",
    description: "Try models under your routing rules. Requests are billed to your key “Playground”.",
    Icon: ChatIcon,
    permission: "inference:use",
  },
  "/routing-rules": {
    title: "Routing rules",
    description: "Which providers may serve a request. All matching rules apply. A rule can only restrict.",
    Icon: RouteIcon,
    create: { label: "Create a routing rule", query: "edit=new", permission: "routing:write" },
  },
  "/presets": {
    title: "Presets",
    description: "Models, parameters and system prompts under a name, for all apps that use it",
    Icon: BookmarkIcon,
    create: { label: "Create a preset", query: "add=new", permission: "workspaces:write" },
  },
  "/models": {
    title: "Models",
    description: "All models with their providers, regions and prices",
    Icon: LayersIcon,
  },
  "/models/prices": {
    title: "Price history",
    description: "Past, current and scheduled prices of an endpoint",
  },
  "/providers": {
    title: "Providers",
    tab: "Catalogue",
    description: "Providers, their data policies and sources",
    Icon: ServerIcon,
  },
  "/providers/own": {
    parent: "/providers",
    title: "Own providers",
    tab: "Own providers",
    description: "Your own providers, models and facts",
    permission: "byok:read",
    create: { label: "Add a provider", query: "add=provider", permission: "byok:write" },
  },
  "/providers/updates": {
    parent: "/providers",
    title: "Catalogue updates",
    tab: "Updates",
    description:
      "Newer prices, models and facts. You see all differences before they apply, and can undo them.",
    operator: true,
  },
  "/providers/credentials": {
    parent: "/providers",
    title: "Provider credentials",
    tab: "Credentials",
    description: "Your own provider accounts. Requests use them, and the provider bills you directly.",
    permission: "byok:read",
    create: { label: "Add a provider credential", query: "add=choose", permission: "byok:write" },
  },
  "/destinations": {
    title: "Destinations",
    description: "Send traces of your requests to observability tools, storage or a data warehouse",
    Icon: BroadcastIcon,
    create: { label: "Add a destination", query: "add=choose", permission: "broadcast:write" },
  },
  "/keys": {
    title: "API keys",
    tab: "Keys",
    description: "Keys for programs that call the API. Keys never exceed your own permissions.",
    Icon: KeyIcon,
    create: { label: "Create an API key", query: "create=true", permission: "keys:write" },
  },
  "/keys/apps": {
    parent: "/keys",
    title: "Connected apps",
    description: "Apps that requested a key and were approved. The owner of a host is not verified.",
  },
  "/usage": {
    title: "Usage and credits",
    description: "Usage, cost and credit. Days are in UTC, amounts exclude VAT.",
    Icon: CoinsIcon,
    ranges: ["7d", "30d", "90d", "month", "last_month", "year"],
  },
  "/budgets": {
    title: "Budgets",
    description:
      "Limits on cost, tokens, requests and parallel requests. A request that would exceed one is refused.",
    Icon: PieIcon,
    permission: "workspaces:read",
    create: { label: "Create a budget", query: "edit=new", permission: "workspaces:write" },
  },
  "/alerts": {
    title: "Alerts",
    tab: "Rules",
    description: "What is watched, and who is notified when it begins and when it is over",
    Icon: BellIcon,
    permission: "alerts:read",
    create: { label: "Create an alert rule", query: "edit=new", permission: "alerts:write" },
  },
  "/alerts/channels": {
    parent: "/alerts",
    title: "Alert channels",
    tab: "Channels",
    description: "Where alerts are sent: e-mail addresses, webhooks and Slack-compatible webhooks",
    permission: "alerts:read",
    create: { label: "Add an alert channel", query: "edit=new", permission: "alerts:write" },
  },
  "/alerts/incidents": {
    parent: "/alerts",
    title: "Alert incidents",
    tab: "Incidents",
    description: "What rules have found, and what was sent. Rules are evaluated every minute.",
    permission: "alerts:read",
  },
  "/evidence": {
    title: "Evidence",
    tab: "Data flows",
    description: "Where requests of a period went, and what was known of the providers then",
    Icon: MapIcon,
    ranges: ["24h", "7d", "30d", "90d"],
    permission: "audit:read",
  },
  "/evidence/packages": {
    parent: "/evidence",
    title: "Evidence packages",
    tab: "Packages",
    description: "Archives of a period with every request and its proofs, for auditors",
    permission: "audit:read",
  },
  "/evidence/data-subjects": {
    parent: "/evidence",
    title: "Data subjects",
    description: "Export, erase or hold what is stored about an end user, a person or an API key",
    permission: "data_subjects:write",
  },
  "/evidence/transparency-log": {
    parent: "/evidence",
    title: "Transparency log",
    description:
      "Its newest checkpoint, who else signed it, and when it was stamped. It proves audit log and requests.",
    permission: "audit:read",
  },
  "/settings": {
    title: "Settings",
    tab: "Profile",
    description: "Your name, password and sessions",
    Icon: SlidersIcon,
  },
  "/settings/members": {
    parent: "/settings",
    title: "Members",
    description: "People in this organisation and their roles",
    create: { label: "Invite a member", query: "invite=true", permission: "members:write" },
  },
  "/settings/service-accounts": {
    parent: "/settings",
    title: "Service accounts",
    description:
      "Members for programs. Nobody signs in as one, and their keys keep working when their creator leaves.",
    create: { label: "Create a service account", query: "create=true", permission: "members:write" },
  },
  "/settings/workspaces": {
    parent: "/settings",
    title: "Workspaces",
    description: "Teams or projects with their own keys and rules and one shared limit",
    create: { label: "Create a workspace", query: "create=true", permission: "workspaces:write" },
  },
  "/settings/organisation": {
    parent: "/settings",
    title: "Organisation",
    description: "Name, ID and data retention",
  },
  "/settings/configuration": {
    parent: "/settings",
    title: "Configuration",
    description: "The configuration of the organisation as a file: download, compare and apply",
    permission: "workspaces:write",
  },
  "/settings/audit-log": {
    parent: "/settings",
    title: "Audit log",
    description: "Who changed what, when and from where. Entries cannot be changed or deleted.",
    permission: "audit:read",
  },
  "/settings/organisations": {
    parent: "/settings",
    title: "All organisations",
    description:
      "All organisations of this installation. You see their names and credit, not their requests.",
    operator: true,
  },
  "/docs": {
    title: "Documentation",
    tab: "Guides",
    description: "Guides for this installation, and the reference of its API",
    Icon: BookIcon,
  },
  "/docs/reference": {
    parent: "/docs",
    title: "API reference",
    description: "Every operation of the API, with examples to copy and to try",
  },
} as const satisfies Readonly<Record<string, ScreenRow>>;

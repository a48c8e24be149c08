import { BookIcon, GaugeIcon, KeyIcon } from "./icons.tsx";

/** Every screen there is: the navigation and the palette grow from this table. */
export const screens = [
  { path: "/overview", label: "Overview", description: "Today's requests, tokens and cost", Icon: GaugeIcon },
  { path: "/keys", label: "API keys", description: "Who may call, and for how much", Icon: KeyIcon },
  { path: "/docs", label: "API reference", description: "Every operation of the API", Icon: BookIcon },
] as const;

import { BookIcon, GaugeIcon } from "./icons.tsx";

/** Every screen there is: the navigation and the palette grow from this table. */
export const screens = [
  { path: "/overview", label: "Overview", description: "Today's requests, tokens and cost", Icon: GaugeIcon },
  { path: "/docs", label: "API reference", description: "Every operation of the API", Icon: BookIcon },
] as const;

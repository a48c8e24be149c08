import { PageBar } from "#app/_ui/page-bar.tsx";

const pages = [
  { path: "/logs", label: "Requests" },
  { path: "/logs/refused", label: "Refused" },
] as const;

/** What was asked of a provider, and what was refused before. */
export const LogsBar = () => <PageBar label="Logs" pages={pages} />;

import { PageBar } from "#app/_ui/page-bar.tsx";

const pages = [
  { path: "/providers", label: "Catalogue" },
  { path: "/providers/credentials", label: "Credentials", permission: "byok:read" },
] as const;

/** Who serves, and with whose credential. */
export const ProvidersBar = () => <PageBar label="Providers" pages={pages} />;

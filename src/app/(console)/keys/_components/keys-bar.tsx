import { PageBar } from "#app/_ui/page-bar.tsx";

const pages = [
  { path: "/keys", label: "Keys" },
  { path: "/keys/apps", label: "Connected apps" },
] as const;

/** Keys somebody made, and those that apps asked for. */
export const KeysBar = () => <PageBar label="Keys" pages={pages} />;

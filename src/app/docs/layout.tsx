import type { ReactNode } from "react";
import { Shell } from "../_ui/shell.tsx";

export default function DocsLayout({ children }: { children: ReactNode }) {
  return <Shell>{children}</Shell>;
}

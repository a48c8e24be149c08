import type { ReactNode } from "react";
import { SessionGate } from "../_ui/session-gate.tsx";
import { Shell } from "../_ui/shell.tsx";

export default function ConsoleLayout({ children }: { children: ReactNode }) {
  return (
    <Shell>
      <SessionGate>{children}</SessionGate>
    </Shell>
  );
}

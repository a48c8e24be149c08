import type { ReactNode } from "react";
import { SettingsFrame } from "./_components/settings-frame.tsx";

export default function SettingsLayout({ children }: { children: ReactNode }) {
  return <SettingsFrame>{children}</SettingsFrame>;
}

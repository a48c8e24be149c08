import type { Metadata } from "next";
import { LogsScreen } from "./_parts/logs-screen.tsx";

export const metadata: Metadata = { title: "Logs" };

export default function LogsPage() {
  return <LogsScreen />;
}

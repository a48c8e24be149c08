import type { Metadata } from "next";
import { LogsScreen } from "./_components/logs-screen.tsx";

export const metadata: Metadata = { title: "Logs" };

export default function LogsPage() {
  return <LogsScreen />;
}

import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { LogsScreen } from "./_components/logs-screen.tsx";

export const metadata: Metadata = pageMetadata("/logs");

export default function LogsPage() {
  return <LogsScreen />;
}

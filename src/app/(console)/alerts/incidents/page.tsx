import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { IncidentsScreen } from "./_components/incidents-screen.tsx";

export const metadata: Metadata = pageMetadata("/alerts/incidents");

export default function IncidentsPage() {
  return <IncidentsScreen />;
}

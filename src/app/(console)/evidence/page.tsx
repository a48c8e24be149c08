import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { DataFlowsScreen } from "./_components/data-flows-screen.tsx";

export const metadata: Metadata = pageMetadata("/evidence");

export default function EvidencePage() {
  return <DataFlowsScreen />;
}

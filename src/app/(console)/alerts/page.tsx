import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { RulesScreen } from "./_components/rules-screen.tsx";

export const metadata: Metadata = pageMetadata("/alerts");

export default function AlertsPage() {
  return <RulesScreen />;
}

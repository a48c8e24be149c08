import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { RulesScreen } from "./_components/rules-screen.tsx";

export const metadata: Metadata = pageMetadata("/routing-rules");

export default function RoutingRulesPage() {
  return <RulesScreen />;
}

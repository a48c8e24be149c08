import type { Metadata } from "next";
import { RulesScreen } from "./_components/rules-screen.tsx";

export const metadata: Metadata = { title: "Routing rules" };

export default function RoutingRulesPage() {
  return <RulesScreen />;
}

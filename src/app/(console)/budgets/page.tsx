import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { BudgetsScreen } from "./_components/budgets-screen.tsx";

export const metadata: Metadata = pageMetadata("/budgets");

export default function BudgetsPage() {
  return <BudgetsScreen />;
}

import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { OverviewScreen } from "./_components/overview-screen.tsx";

export const metadata: Metadata = pageMetadata("/overview");

export default function OverviewPage() {
  return <OverviewScreen />;
}

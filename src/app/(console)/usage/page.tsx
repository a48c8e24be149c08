import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { UsageScreen } from "./_components/usage-screen.tsx";

export const metadata: Metadata = pageMetadata("/usage");

export default function UsagePage() {
  return <UsageScreen />;
}

import type { Metadata } from "next";
import { UsageScreen } from "./_components/usage-screen.tsx";

export const metadata: Metadata = { title: "Usage and credits" };

export default function UsagePage() {
  return <UsageScreen />;
}

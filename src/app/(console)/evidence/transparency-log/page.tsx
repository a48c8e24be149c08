import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { TransparencyLogScreen } from "./_components/transparency-log-screen.tsx";

export const metadata: Metadata = pageMetadata("/evidence/transparency-log");

export default function TransparencyLogPage() {
  return <TransparencyLogScreen />;
}

import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { DestinationsScreen } from "./_components/destinations-screen.tsx";

export const metadata: Metadata = pageMetadata("/destinations");

export default function DestinationsPage() {
  return <DestinationsScreen />;
}

import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { OwnEntriesScreen } from "./_components/own-entries-screen.tsx";

export const metadata: Metadata = pageMetadata("/providers/own");

export default function OwnProvidersPage() {
  return <OwnEntriesScreen />;
}

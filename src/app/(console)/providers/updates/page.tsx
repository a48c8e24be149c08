import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { UpdatesScreen } from "./_components/updates-screen.tsx";

export const metadata: Metadata = pageMetadata("/providers/updates");

export default function CatalogueUpdatesPage() {
  return <UpdatesScreen />;
}

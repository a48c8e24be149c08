import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { OrganisationsScreen } from "./_components/organisations-screen.tsx";

export const metadata: Metadata = pageMetadata("/settings/organisations");

export default function OrganisationsPage() {
  return <OrganisationsScreen />;
}

import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { OrganisationScreen } from "./_components/organisation-screen.tsx";

export const metadata: Metadata = pageMetadata("/settings/organisation");

export default function OrganisationPage() {
  return <OrganisationScreen />;
}

import type { Metadata } from "next";
import { OrganisationScreen } from "./_parts/organisation-screen.tsx";

export const metadata: Metadata = { title: "Organisation" };

export default function OrganisationPage() {
  return <OrganisationScreen />;
}

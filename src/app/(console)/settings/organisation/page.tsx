import type { Metadata } from "next";
import { OrganisationScreen } from "./_components/organisation-screen.tsx";

export const metadata: Metadata = { title: "Organisation" };

export default function OrganisationPage() {
  return <OrganisationScreen />;
}

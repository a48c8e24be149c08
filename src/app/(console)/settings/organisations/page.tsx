import type { Metadata } from "next";
import { OrganisationsScreen } from "./_components/organisations-screen.tsx";

export const metadata: Metadata = { title: "All organisations" };

export default function OrganisationsPage() {
  return <OrganisationsScreen />;
}

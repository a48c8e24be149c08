import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { ServiceAccountsScreen } from "./_components/service-accounts-screen.tsx";

export const metadata: Metadata = pageMetadata("/settings/service-accounts");

export default function ServiceAccountsPage() {
  return <ServiceAccountsScreen />;
}

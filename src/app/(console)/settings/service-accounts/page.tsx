import type { Metadata } from "next";
import { ServiceAccountsScreen } from "./_components/service-accounts-screen.tsx";

export const metadata: Metadata = { title: "Service accounts" };

export default function ServiceAccountsPage() {
  return <ServiceAccountsScreen />;
}

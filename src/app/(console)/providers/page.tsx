import type { Metadata } from "next";
import { ProvidersScreen } from "./_components/providers-screen.tsx";

export const metadata: Metadata = { title: "Providers" };

export default function ProvidersPage() {
  return <ProvidersScreen />;
}

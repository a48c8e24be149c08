import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { ProvidersScreen } from "./_components/providers-screen.tsx";

export const metadata: Metadata = pageMetadata("/providers");

export default function ProvidersPage() {
  return <ProvidersScreen />;
}

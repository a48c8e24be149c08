import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { ConfigurationScreen } from "./_components/configuration-screen.tsx";

export const metadata: Metadata = pageMetadata("/settings/configuration");

export default function ConfigurationPage() {
  return <ConfigurationScreen />;
}

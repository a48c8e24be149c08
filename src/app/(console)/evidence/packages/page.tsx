import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { PackagesScreen } from "./_components/packages-screen.tsx";

export const metadata: Metadata = pageMetadata("/evidence/packages");

export default function PackagesPage() {
  return <PackagesScreen />;
}

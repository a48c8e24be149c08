import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { AppsScreen } from "./_components/apps-screen.tsx";

export const metadata: Metadata = pageMetadata("/keys/apps");

export default function AppsPage() {
  return <AppsScreen />;
}

import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { SessionsScreen } from "./_components/sessions-screen.tsx";

export const metadata: Metadata = pageMetadata("/logs/sessions");

export default function SessionsPage() {
  return <SessionsScreen />;
}

import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { WorkspacesScreen } from "./_components/workspaces-screen.tsx";

export const metadata: Metadata = pageMetadata("/settings/workspaces");

export default function WorkspacesPage() {
  return <WorkspacesScreen />;
}

import type { Metadata } from "next";
import { WorkspacesScreen } from "./_parts/workspaces-screen.tsx";

export const metadata: Metadata = { title: "Workspaces" };

export default function WorkspacesPage() {
  return <WorkspacesScreen />;
}

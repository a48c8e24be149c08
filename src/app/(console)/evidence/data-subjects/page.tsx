import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { DataSubjectsScreen } from "./_components/data-subjects-screen.tsx";

export const metadata: Metadata = pageMetadata("/evidence/data-subjects");

export default function DataSubjectsPage() {
  return <DataSubjectsScreen />;
}

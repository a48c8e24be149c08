import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { ReferenceScreen } from "./_components/reference-screen.tsx";

export const metadata: Metadata = pageMetadata("/docs/reference");

export default function ReferencePage() {
  return <ReferenceScreen />;
}

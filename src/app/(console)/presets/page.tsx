import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { PresetsScreen } from "./_components/presets-screen.tsx";

export const metadata: Metadata = pageMetadata("/presets");

export default function PresetsPage() {
  return <PresetsScreen />;
}

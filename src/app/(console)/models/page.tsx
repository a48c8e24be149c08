import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { ModelsScreen } from "./_components/models-screen.tsx";

export const metadata: Metadata = pageMetadata("/models");

export default function ModelsPage() {
  return <ModelsScreen />;
}

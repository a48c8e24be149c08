import type { Metadata } from "next";
import { ModelsScreen } from "./_parts/models-screen.tsx";

export const metadata: Metadata = { title: "Models" };

export default function ModelsPage() {
  return <ModelsScreen />;
}

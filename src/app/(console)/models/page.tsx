import type { Metadata } from "next";
import { ModelsScreen } from "./_components/models-screen.tsx";

export const metadata: Metadata = { title: "Models" };

export default function ModelsPage() {
  return <ModelsScreen />;
}

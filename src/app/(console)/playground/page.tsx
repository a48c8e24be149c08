import type { Metadata } from "next";
import { PlaygroundScreen } from "./_components/playground-screen.tsx";

export const metadata: Metadata = { title: "Playground" };

export default function PlaygroundPage() {
  return <PlaygroundScreen />;
}

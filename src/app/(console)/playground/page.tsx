import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { PlaygroundScreen } from "./_components/playground-screen.tsx";

export const metadata: Metadata = pageMetadata("/playground");

export default function PlaygroundPage() {
  return <PlaygroundScreen />;
}

import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { RefusedScreen } from "./_components/refused-screen.tsx";

export const metadata: Metadata = pageMetadata("/logs/refused");

export default function RefusedPage() {
  return <RefusedScreen />;
}

import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { KeysScreen } from "./_components/keys-screen.tsx";

export const metadata: Metadata = pageMetadata("/keys");

export default function KeysPage() {
  return <KeysScreen />;
}

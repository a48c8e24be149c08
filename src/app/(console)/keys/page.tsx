import type { Metadata } from "next";
import { KeysScreen } from "./_components/keys-screen.tsx";

export const metadata: Metadata = { title: "API keys" };

export default function KeysPage() {
  return <KeysScreen />;
}

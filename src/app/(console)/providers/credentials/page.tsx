import type { Metadata } from "next";
import { CredentialsScreen } from "./_components/credentials-screen.tsx";

export const metadata: Metadata = { title: "Provider credentials" };

export default function CredentialsPage() {
  return <CredentialsScreen />;
}

import type { Metadata } from "next";
import { CredentialsScreen } from "./_parts/credentials-screen.tsx";

export const metadata: Metadata = { title: "Provider credentials" };

export default function CredentialsPage() {
  return <CredentialsScreen />;
}

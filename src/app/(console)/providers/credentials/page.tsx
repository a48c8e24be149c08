import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { CredentialsScreen } from "./_components/credentials-screen.tsx";

export const metadata: Metadata = pageMetadata("/providers/credentials");

export default function CredentialsPage() {
  return <CredentialsScreen />;
}

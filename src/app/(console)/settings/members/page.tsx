import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { MembersScreen } from "./_components/members-screen.tsx";

export const metadata: Metadata = pageMetadata("/settings/members");

export default function MembersPage() {
  return <MembersScreen />;
}

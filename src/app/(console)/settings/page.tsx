import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { ProfileScreen } from "./_components/profile-screen.tsx";

export const metadata: Metadata = pageMetadata("/settings");

export default function ProfilePage() {
  return <ProfileScreen />;
}

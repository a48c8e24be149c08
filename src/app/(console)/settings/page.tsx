import type { Metadata } from "next";
import { ProfileScreen } from "./_components/profile-screen.tsx";

export const metadata: Metadata = { title: "Profile" };

export default function ProfilePage() {
  return <ProfileScreen />;
}

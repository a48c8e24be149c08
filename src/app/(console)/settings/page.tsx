import type { Metadata } from "next";
import { ProfileScreen } from "./_parts/profile-screen.tsx";

export const metadata: Metadata = { title: "Profile" };

export default function ProfilePage() {
  return <ProfileScreen />;
}

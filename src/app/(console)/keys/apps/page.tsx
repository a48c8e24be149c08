import type { Metadata } from "next";
import { AppsScreen } from "./_components/apps-screen.tsx";

export const metadata: Metadata = { title: "Connected apps" };

export default function AppsPage() {
  return <AppsScreen />;
}

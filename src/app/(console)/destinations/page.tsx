import type { Metadata } from "next";
import { DestinationsScreen } from "./_components/destinations-screen.tsx";

export const metadata: Metadata = { title: "Destinations" };

export default function DestinationsPage() {
  return <DestinationsScreen />;
}

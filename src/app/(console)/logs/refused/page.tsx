import type { Metadata } from "next";
import { RefusedScreen } from "./_components/refused-screen.tsx";

export const metadata: Metadata = { title: "Refused requests" };

export default function RefusedPage() {
  return <RefusedScreen />;
}

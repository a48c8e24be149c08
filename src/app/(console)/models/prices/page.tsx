import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { PriceHistoryScreen } from "./_components/price-history-screen.tsx";

export const metadata: Metadata = pageMetadata("/models/prices");

export default function PriceHistoryPage() {
  return <PriceHistoryScreen />;
}

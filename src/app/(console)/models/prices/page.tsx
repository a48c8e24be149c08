import type { Metadata } from "next";
import { PriceHistoryScreen } from "./_components/price-history-screen.tsx";

export const metadata: Metadata = { title: "Price history" };

export default function PriceHistoryPage() {
  return <PriceHistoryScreen />;
}

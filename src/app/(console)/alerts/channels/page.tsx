import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { ChannelsScreen } from "./_components/channels-screen.tsx";

export const metadata: Metadata = pageMetadata("/alerts/channels");

export default function ChannelsPage() {
  return <ChannelsScreen />;
}

"use client";

import { Stack } from "@mantine/core";
import { WhyPanel } from "#app/_ui/why-panel.tsx";
import type { GenerationDetail } from "#contract/generation.ts";
import { ReplayPanel } from "./replay-panel.tsx";

/** Why a request went where it went, and the same decision made again. */
export function RoutingPanel({ generation }: { generation: GenerationDetail }) {
  return (
    <Stack gap="xl">
      <WhyPanel id={generation.id} />
      <ReplayPanel generation={generation} />
    </Stack>
  );
}

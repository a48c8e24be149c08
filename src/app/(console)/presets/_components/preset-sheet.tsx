"use client";

import { Skeleton, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import type { PresetWithVersion } from "#contract/preset.ts";
import { PresetForm } from "./preset-form.tsx";
import { UsePanel } from "./use-panel.tsx";
import { VersionsPanel } from "./versions-panel.tsx";

const width = "min(760px, 100vw)";

interface SheetProps {
  readonly onClose: () => Promise<unknown>;
}

/** A new preset. */
export const NewPresetSheet = ({ onClose }: SheetProps) => (
  <Sheet title="Create a preset" onClose={() => void onClose()} size={width}>
    <PresetForm preset={null} onClose={onClose} />
  </Sheet>
);

function PresetTabs({ preset, onClose }: SheetProps & { readonly preset: PresetWithVersion }) {
  return (
    <Tabs defaultValue="settings" keepMounted={false} keepMountedMode="display-none">
      <Tabs.List mb="md">
        <Tabs.Tab value="settings">Settings</Tabs.Tab>
        <Tabs.Tab value="versions">Versions</Tabs.Tab>
        <Tabs.Tab value="use">Use it</Tabs.Tab>
      </Tabs.List>
      {/* What is typed outlives a look at the versions. */}
      <Tabs.Panel value="settings" keepMounted>
        <PresetForm key={preset.designated_version_id} preset={preset} onClose={onClose} />
      </Tabs.Panel>
      <Tabs.Panel value="versions">
        <VersionsPanel preset={preset} />
      </Tabs.Panel>
      <Tabs.Panel value="use">
        <UsePanel preset={preset} />
      </Tabs.Panel>
    </Tabs>
  );
}

/** One preset: what it sets, its versions, and how it is used. */
export function PresetSheet({ name, onClose }: SheetProps & { readonly name: string }) {
  const preset = useQuery(useTRPC().presets.get.queryOptions({ slug: name }));
  return (
    <Sheet title={name} onClose={() => void onClose()} size={width}>
      {preset.isError && <FailureAlert error={preset.error} onRetry={() => void preset.refetch()} />}
      {preset.isPending && <Skeleton h={480} />}
      {preset.data && <PresetTabs preset={preset.data.data} onClose={onClose} />}
    </Sheet>
  );
}

"use client";

import { Tabs } from "@mantine/core";
import { Sheet } from "#app/_ui/sheet.tsx";
import type { Destination, DestinationType } from "#contract/destination.ts";
import { DeliveriesPanel } from "./deliveries-panel.tsx";
import { DestinationForm } from "./destination-form.tsx";

interface DestinationSheetProps {
  readonly destination: Destination;
  readonly type: DestinationType;
  readonly onClose: () => void;
}

/** One destination: what goes there, and how it is set up. */
export function DestinationSheet({ destination, type, onClose }: DestinationSheetProps) {
  return (
    <Sheet title={destination.name} onClose={onClose} size="min(760px, 100vw)">
      <Tabs defaultValue="deliveries" keepMounted={false} keepMountedMode="display-none">
        <Tabs.List mb="md">
          <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="deliveries">
          <DeliveriesPanel destination={destination} />
        </Tabs.Panel>
        {/* What is typed outlives a look at the deliveries. */}
        <Tabs.Panel value="settings" keepMounted>
          <DestinationForm key={destination.updated_at} type={type} saved={destination} onDone={onClose} />
        </Tabs.Panel>
      </Tabs>
    </Sheet>
  );
}

"use client";

import { Button, Group, NativeSelect, Stack } from "@mantine/core";
import { useState } from "react";
import { browserZone, chooseTimeZone, timeZone, timeZones } from "../_lib/time-zone.ts";
import { Dialog } from "./dialog.tsx";

/** The zone in which this browser shows times. The choice stays in this browser. */
export function TimeZoneDialog({ onClose }: { onClose: () => void }) {
  const [chosen, setChosen] = useState(timeZone() ?? "");
  const save = () => {
    chooseTimeZone(chosen || null);
    // Everything that is shown has times.
    window.location.reload();
  };
  return (
    <Dialog title="Time zone" onClose={onClose}>
      <Stack>
        <NativeSelect
          label="Show times in"
          description="In this browser. Days of usage and budgets are always in UTC."
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
          data={[
            { value: "", label: `The zone of this browser (${browserZone()})` },
            ...timeZones().map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") })),
          ]}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={save}>Save</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

"use client";

import { Anchor, Stack } from "@mantine/core";
import Link from "next/link";
import { Dialog } from "#app/_ui/dialog.tsx";
import { WhyPanel } from "#app/_ui/why-panel.tsx";

/** Why an answer came from its provider, over the conversation. */
export function WhyDialog({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <Dialog title="Why this provider" onClose={onClose}>
      <Stack>
        <WhyPanel id={id} />
        <Anchor size="sm" component={Link} href={`/logs?open=${id}&tab=routing`}>
          Open the request in the logs
        </Anchor>
      </Stack>
    </Dialog>
  );
}

"use client";

import { Button, Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { toastDone, toastFailure } from "#app/_ui/toast.tsx";
import { muteChoices, mutedFor, mutedText } from "#app/(console)/alerts/_components/alert-text.ts";
import type { AlertIncident } from "#contract/alert-incident.ts";

/** Mutes what an incident is about for some time, or ends that. */
export function MuteMenu({ incident: { id, muted_until: until } }: { incident: AlertIncident }) {
  const { update, list } = useTRPC().alertIncidents;
  const queryClient = useQueryClient();
  const mute = useMutation(
    update.mutationOptions({
      onSuccess: async ({ data: { muted_until } }) => {
        await queryClient.invalidateQueries({ queryKey: list.queryKey() });
        await toastDone(
          muted_until === null ? "The incident is not muted any more." : `${mutedText(muted_until)}.`,
        );
      },
      onError: toastFailure,
    }),
  );
  return (
    <Menu position="bottom-end" width={180}>
      <Menu.Target>
        <Button variant="default" size="xs" loading={mute.isPending}>
          {until === null ? "Mute" : "Muted"}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {until !== null && (
          <Menu.Item onClick={() => mute.mutate({ id, muted_until: null })}>End the mute</Menu.Item>
        )}
        {muteChoices.map(({ value, label }) => (
          <Menu.Item key={value} onClick={() => mute.mutate({ id, muted_until: mutedFor(value) })}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

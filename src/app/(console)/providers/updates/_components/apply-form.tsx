"use client";

import { Checkbox, Stack } from "@mantine/core";
import { useState } from "react";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { FormActions } from "#app/_ui/form-actions.tsx";
import type { CatalogueComparison } from "#contract/catalogue-update.ts";

interface ApplyFormProps {
  readonly update: CatalogueComparison;
  readonly onDone: (message: string) => void;
  readonly onClose: () => void;
}

/** Applies an update, once new hosts are accepted, or takes back the one in use. */
export function ApplyForm({ update, onDone, onClose }: ApplyFormProps) {
  const client = useTRPCClient();
  const [isAccepted, setAccepted] = useState(false);
  const { id, source, in_use: inUse, compared_with, new_hosts: newHosts } = update;
  const hosts = inUse ? [] : newHosts;
  const action = useMutation({
    mutationFn: () =>
      inUse
        ? client.catalogueUpdates.undoUpdate.mutate({ id })
        : client.catalogueUpdates.applyUpdate.mutate({
            ...{ id, compared_with },
            accept_hosts: [...new Set(hosts.map(({ host }) => host))],
          }),
    onSuccess: () => onDone(inUse ? `${source} is undone.` : `${source} is applied.`),
  });
  return (
    <form
      method="post"
      aria-label="Apply"
      onSubmit={(event) => {
        event.preventDefault();
        action.mutate();
      }}
    >
      <Stack>
        {hosts.length > 0 && (
          <Checkbox
            label="I checked the new hosts"
            description={`Requests and stored credentials will be sent there: ${hosts
              .map(({ provider, host }) => `${host} (${provider})`)
              .join(", ")}`}
            checked={isAccepted}
            onChange={(event) => setAccepted(event.currentTarget.checked)}
          />
        )}
        <FormActions
          verb={inUse ? "Undo update" : "Apply update"}
          cancel="Close"
          error={action.error}
          pending={action.isPending}
          disabled={hosts.length > 0 && !isAccepted}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

"use client";

import { Checkbox, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { Dialog } from "#app/_ui/dialog.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import type { AppliedConfiguration, ConfigurationPlan } from "#contract/configuration.ts";
import { deletedCount, summaryText } from "./plan-text.ts";

interface ApplyDialogProps {
  readonly plan: ConfigurationPlan;
  readonly onApply: (digest: string) => Promise<AppliedConfiguration>;
  readonly onClose: () => void;
}

/** Asks before a plan is applied. What is deleted has to be confirmed. */
export function ApplyDialog({ plan, onApply, onClose }: ApplyDialogProps) {
  const queryClient = useQueryClient();
  const [isConfirmed, setConfirmed] = useState(false);
  const deleted = deletedCount(plan);
  const apply = useMutation({
    mutationFn: () => onApply(plan.digest),
    onSuccess: () => toastDone("The configuration is applied."),
    onSettled: () => queryClient.invalidateQueries(),
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    apply.mutate();
  }

  return (
    <Dialog onClose={onClose} title="Apply the configuration">
      <form method="post" onSubmit={submit}>
        <Stack>
          <Text size="sm">
            {summaryText(plan)}. All changes are made, or none. If anything has changed since the plan,
            nothing is applied.
          </Text>
          {deleted > 0 && (
            <Checkbox
              label={`Delete ${deleted} ${deleted === 1 ? "resource" : "resources"}. This cannot be undone.`}
              checked={isConfirmed}
              onChange={(event) => setConfirmed(event.currentTarget.checked)}
            />
          )}
          <FormActions
            verb="Apply"
            error={apply.error}
            pending={apply.isPending}
            disabled={deleted > 0 && !isConfirmed}
            destructive={deleted > 0}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

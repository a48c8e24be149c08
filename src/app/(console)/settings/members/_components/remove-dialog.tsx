"use client";

import { Stack, Text } from "@mantine/core";
import type { FormEvent } from "react";
import { goTo } from "#app/_lib/navigate.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { Dialog } from "#app/_ui/dialog.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import type { Member } from "#contract/member.ts";

interface RemoveDialogProps {
  readonly member: Member;
  /** Whether it is the person who asks. */
  readonly self: boolean;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

export function RemoveDialog({ member, self, onClose, onRemoved }: RemoveDialogProps) {
  const trpc = useTRPC();
  const done = () => {
    onRemoved();
    onClose();
  };
  const remove = useMutation(trpc.members.remove.mutationOptions({ onSuccess: done }));
  const leave = useMutation(trpc.members.leave.mutationOptions({ onSuccess: () => goTo("/overview") }));

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (self) leave.mutate();
    else remove.mutate({ user_id: member.user_id });
  }

  return (
    <Dialog onClose={onClose} title={self ? "Leave the organisation" : `Remove ${member.name}`}>
      <form method="post" onSubmit={submit}>
        <Stack>
          <Text size="sm">
            {self ? "Your" : "Their"} API keys in this organisation are disabled within two seconds, and{" "}
            {self ? "your" : "their"} open invitations are revoked. Records are kept.
          </Text>
          <FormActions
            verb={self ? "Leave" : "Remove"}
            error={remove.error ?? leave.error}
            pending={remove.isPending || leave.isPending}
            destructive
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

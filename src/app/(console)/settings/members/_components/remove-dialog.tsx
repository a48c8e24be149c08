"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { goTo } from "#app/_lib/navigate.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { Dialog } from "#app/_ui/dialog.tsx";
import { FormFailure } from "#app/_ui/form-failure.tsx";
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

  return (
    <Dialog onClose={onClose} title={self ? "Leave the organisation" : `Remove ${member.name}`}>
      <Stack>
        <Text size="sm">
          {self ? "Your" : "Their"} API keys in this organisation are disabled within two seconds, and{" "}
          {self ? "your" : "their"} open invitations are revoked. Records are kept.
        </Text>
        <FormFailure error={remove.error ?? leave.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            color="red.9"
            loading={remove.isPending || leave.isPending}
            onClick={() => (self ? leave.mutate() : remove.mutate({ user_id: member.user_id }))}
          >
            {self ? "Leave" : "Remove"}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

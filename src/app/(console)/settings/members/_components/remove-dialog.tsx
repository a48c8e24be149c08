"use client";

import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import type { Member } from "#contract/member.ts";
import { failureOf } from "../../../../_lib/failure.ts";
import { goTo } from "../../../../_lib/go.ts";
import { useTRPC } from "../../../../_lib/trpc.ts";
import { useMutation } from "../../../../_lib/use-mutation.ts";
import { Dialog } from "../../../../_ui/dialog.tsx";
import { FailureText } from "../../../../_ui/failure-text.tsx";

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
  const failed = remove.error ?? leave.error;
  return (
    <Dialog onClose={onClose} title={self ? "Leave the organisation" : `Remove ${member.name}`}>
      <Stack>
        <Text size="sm">
          {self ? "Your" : "Their"} API keys of this organisation are disabled within two seconds, and{" "}
          {self ? "your" : "their"} open invitations are taken back. What was recorded stays.
        </Text>
        {failed && (
          <Alert color="red" role="alert">
            <FailureText failure={failureOf(failed)} />
          </Alert>
        )}
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

"use client";

import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { ApiKey } from "#contract/key.ts";
import { failureOf } from "../../../_lib/failure.ts";
import { useTRPC } from "../../../_lib/trpc.ts";
import { Dialog } from "../../../_ui/dialog.tsx";

interface RevokeDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onRevoked: () => void;
}

/** Ends a key once its name has been typed: programs stop that no click should stop by accident. */
export function RevokeDialog({ apiKey, onClose, onRevoked }: RevokeDialogProps) {
  const [typed, setTyped] = useState("");
  const done = () => {
    onRevoked();
    onClose();
  };
  const remove = useMutation(useTRPC().keys.remove.mutationOptions({ onSuccess: done }));

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    remove.mutate({ hash: apiKey.hash });
  }

  return (
    <Dialog onClose={onClose} title={`Revoke ${apiKey.name}`}>
      <form method="post" onSubmit={submit}>
        <Stack>
          <Text size="sm">
            Whatever uses this key is refused within two seconds. It cannot be brought back. What it has cost
            stays on record.
          </Text>
          <TextInput
            label={`Type ${apiKey.name} to confirm`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
          />
          {remove.isError && (
            <Alert color="red" role="alert">
              {failureOf(remove.error).message}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              color="red"
              disabled={typed.trim() !== apiKey.name}
              loading={remove.isPending}
            >
              Revoke
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

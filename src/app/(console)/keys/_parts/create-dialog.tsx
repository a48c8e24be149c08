"use client";

import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { failureOf } from "../../../_lib/failure.ts";
import { boundsIn, textIn } from "../../../_lib/key-bounds.ts";
import { useTRPC } from "../../../_lib/trpc.ts";
import { BoundFields } from "../../../_ui/bound-fields.tsx";
import { Dialog } from "../../../_ui/dialog.tsx";
import { NewKey } from "./new-key.tsx";

interface CreateDialogProps {
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

/** Asks for name and bounds, then shows the key. A click beside it must not lose a key nobody has copied. */
export function CreateDialog({ onClose, onCreated }: CreateDialogProps) {
  const create = useMutation(useTRPC().keys.create.mutationOptions({ onSuccess: onCreated }));

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    create.mutate({ name: textIn(fields, "name"), ...boundsIn(fields) });
  }

  return (
    <Dialog
      onClose={onClose}
      title={create.data ? "Copy the key now" : "Create an API key"}
      closeOnClickOutside={!create.data}
    >
      {create.data ? (
        <NewKey apiKey={create.data.key} onDone={onClose} />
      ) : (
        <form method="post" onSubmit={submit}>
          <Stack>
            <TextInput
              name="name"
              label="Name"
              description="Who or what will use it"
              required
              maxLength={100}
            />
            <BoundFields limit="" days="" />
            {create.isError && (
              <Alert color="red" role="alert">
                {failureOf(create.error).message}
              </Alert>
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={create.isPending}>
                Create
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}

"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { Dialog } from "./dialog.tsx";
import { FormFailure } from "./form-failure.tsx";

interface ConfirmByNameProps {
  /** What is done, as the button says it: `Revoke`. */
  readonly verb: string;
  readonly name: string;
  /** What happens, and that it cannot be taken back. */
  readonly text: string;
  readonly error: unknown;
  readonly pending: boolean;
  /** Other fields of the form. */
  readonly children?: ReactNode;
  readonly onConfirm: (fields: FormData) => void;
  readonly onClose: () => void;
}

/** Asks for the name of what would be gone for good: no click should do that by accident. */
export function ConfirmByName(props: ConfirmByNameProps) {
  const { verb, name, text, error, pending, children, onConfirm, onClose } = props;
  const [typed, setTyped] = useState("");

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // React hands it on to the form this was opened from, which must not be sent as well.
    event.stopPropagation();
    onConfirm(new FormData(event.currentTarget));
  }

  return (
    <Dialog onClose={onClose} title={`${verb} ${name}`}>
      <form method="post" onSubmit={submit}>
        <Stack>
          <Text size="sm">{text}</Text>
          {children}
          <TextInput
            label={`Type ${name} to confirm`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
          />
          <FormFailure error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red.9" disabled={typed.trim() !== name} loading={pending}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

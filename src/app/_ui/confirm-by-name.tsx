"use client";

import { Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { useMutation } from "../_lib/use-mutation.ts";
import { Dialog } from "./dialog.tsx";
import { FormActions } from "./form-actions.tsx";

export interface Confirmation {
  /** Text of the button: `Revoke`. */
  readonly verb: string;
  /** What has to be typed. */
  readonly name: string;
  /** What happens, and that it cannot be undone. */
  readonly text: string;
  /** Further fields of the form. */
  readonly children?: ReactNode;
  /** Does it; what it throws is shown in the dialog. */
  readonly onConfirm: (fields: FormData) => Promise<unknown>;
  readonly onDone: () => unknown;
}

interface ConfirmByNameProps extends Confirmation {
  readonly onClose: () => void;
}

/** Asks for the name before something is deleted or stopped, so that no click alone does it by accident. */
export function ConfirmByName(props: ConfirmByNameProps) {
  const { verb, name, text, children, onConfirm, onDone, onClose } = props;
  const [typed, setTyped] = useState("");
  const action = useMutation({ mutationFn: onConfirm, onSuccess: onDone });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // React passes it on to the form that contains the dialog, which must not be submitted too.
    event.stopPropagation();
    action.mutate(new FormData(event.currentTarget));
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
          <FormActions
            verb={verb}
            error={action.error}
            pending={action.isPending}
            disabled={typed.trim() !== name}
            destructive
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

"use client";

import { Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
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
  /** Further fields. */
  readonly children?: ReactNode;
  /** False while a further field is incomplete. */
  readonly complete?: boolean;
  /** Does it; what it throws is shown in the dialog. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onDone: () => unknown;
}

interface ConfirmByNameProps extends Confirmation {
  readonly onClose: () => void;
}

/**
 * Asks for the name before something is deleted or stopped, so that no click alone does it by accident. It is no form,
 * because the button that opens it may be part of one.
 */
export function ConfirmByName(props: ConfirmByNameProps) {
  const { verb, name, text, children, complete = true, onConfirm, onDone, onClose } = props;
  const [typed, setTyped] = useState("");
  const action = useMutation({ mutationFn: onConfirm, onSuccess: onDone });
  const isConfirmed = complete && typed.trim() === name;
  return (
    <Dialog onClose={onClose} title={`${verb} ${name}`}>
      <Stack>
        <Text size="sm">{text}</Text>
        {children}
        <TextInput
          label={`Type ${name} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            // A form around the dialog must not be sent.
            event.preventDefault();
            if (isConfirmed && !action.isPending) action.mutate();
          }}
          data-autofocus
          autoComplete="off"
        />
        <FormActions
          verb={verb}
          onClick={() => action.mutate()}
          error={action.error}
          pending={action.isPending}
          disabled={!isConfirmed}
          destructive
          onCancel={onClose}
        />
      </Stack>
    </Dialog>
  );
}

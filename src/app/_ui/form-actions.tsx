"use client";

import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { FormFailure } from "./form-failure.tsx";

interface FormActionsProps {
  /** Text of the submit button: `Create`. Null when the form can only be read. */
  readonly verb: string | null;
  /** Why the last attempt failed; null when none did. */
  readonly error: unknown;
  readonly pending: boolean;
  readonly disabled?: boolean;
  /** Whether submitting destroys something. */
  readonly destructive?: boolean;
  readonly onCancel?: () => void;
  /** Further buttons, on the left: `Test`, `Delete`. */
  readonly children?: ReactNode;
}

/** The end of a form: why it could not be sent, and its buttons. */
export function FormActions(props: FormActionsProps) {
  const { verb, error, pending, disabled, destructive, onCancel, children } = props;
  return (
    <>
      <FormFailure error={error} />
      <Group justify="space-between">
        <Group gap="xs">{children}</Group>
        <Group gap="xs">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              {verb === null ? "Close" : "Cancel"}
            </Button>
          )}
          {verb !== null && (
            <Button
              type="submit"
              loading={pending}
              disabled={disabled}
              color={destructive ? "red.9" : undefined}
            >
              {verb}
            </Button>
          )}
        </Group>
      </Group>
    </>
  );
}

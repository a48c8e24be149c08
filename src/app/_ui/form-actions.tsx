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
  /** What the button does where the fields are not in a form. */
  readonly onClick?: () => void;
  readonly onCancel?: () => void;
  /** Text of the button for `onCancel`: by default `Cancel`, or `Close` when the form can only be read. */
  readonly cancel?: string;
  /** Further buttons, on the left: `Test`, `Delete`. */
  readonly children?: ReactNode;
}

/** The end of a form: why it could not be sent, and its buttons. */
export function FormActions(props: FormActionsProps) {
  const { verb, error, pending, disabled, destructive, onClick, onCancel, children } = props;
  const { cancel = verb === null ? "Close" : "Cancel" } = props;
  return (
    <>
      <FormFailure error={error} />
      <Group justify="space-between">
        <Group gap="xs">{children}</Group>
        <Group gap="xs" ml="auto">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              {cancel}
            </Button>
          )}
          {verb !== null && (
            <Button
              type={onClick ? "button" : "submit"}
              onClick={onClick}
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

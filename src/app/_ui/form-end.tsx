"use client";

import { Alert, Button, Group } from "@mantine/core";
import { failureOf } from "../_lib/failure.ts";
import { FailureText } from "./failure-text.tsx";

interface FormEndProps {
  /** What the button does: `Create`. */
  readonly verb: string;
  /** What went wrong last; null when nothing did. */
  readonly error: unknown;
  readonly pending: boolean;
  readonly onCancel: () => void;
}

/** The end of a form in a dialog: what went wrong, the way out, the way on. */
export function FormEnd({ verb, error, pending, onCancel }: FormEndProps) {
  return (
    <>
      {error != null && (
        <Alert color="red" role="alert">
          <FailureText failure={failureOf(error)} />
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={pending}>
          {verb}
        </Button>
      </Group>
    </>
  );
}

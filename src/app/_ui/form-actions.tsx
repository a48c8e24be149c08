"use client";

import { Button, Group } from "@mantine/core";
import { FormFailure } from "./form-failure.tsx";

interface FormEndProps {
  /** What the button does: `Create`. */
  readonly verb: string;
  /** What went wrong last; null when nothing did. */
  readonly error: unknown;
  readonly pending: boolean;
  readonly onCancel: () => void;
}

/** The end of a form in a dialog: what went wrong, the way out, the way on. */
export function FormActions({ verb, error, pending, onCancel }: FormEndProps) {
  return (
    <>
      <FormFailure error={error} />
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

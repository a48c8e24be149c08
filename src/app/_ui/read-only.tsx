import { Alert, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./read-only.module.css";

interface ReadOnlyProps {
  /** Whether the person may only view the fields. */
  readonly when: boolean;
  readonly children: ReactNode;
}

/** The fields of a form, disabled for a person who may not change them. */
export function ReadOnly({ when, children }: ReadOnlyProps) {
  if (!when) return children;
  return (
    <Stack>
      <Alert variant="default">Your role can view this but not change it.</Alert>
      <fieldset disabled className={classes.fields}>
        <Stack>{children}</Stack>
      </fieldset>
    </Stack>
  );
}

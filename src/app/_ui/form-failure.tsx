import { Alert } from "@mantine/core";
import type { ReactNode } from "react";
import { failureOf } from "../_lib/failure.ts";
import { FailureText } from "./failure-text.tsx";
import { intoView } from "./result-alert.tsx";

interface FormFailureProps {
  /** What the last attempt failed with; null and undefined show nothing. */
  readonly error: unknown;
  /** Further text. */
  readonly children?: ReactNode;
}

/** Why a form could not be sent. */
export function FormFailure({ error, children }: FormFailureProps) {
  if (error == null) return null;
  return (
    <Alert ref={intoView} color="red" role="alert">
      <FailureText failure={failureOf(error)} />
      {children}
    </Alert>
  );
}

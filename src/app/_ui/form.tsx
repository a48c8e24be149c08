"use client";

import { Stack } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { Unsaved } from "./unsaved.tsx";

interface FormProps {
  readonly onSubmit: (fields: FormData) => void;
  /** What the last save answered: what was typed until then is no longer unsaved. */
  readonly saved?: unknown;
  readonly children: ReactNode;
}

/** A form with uncontrolled fields. */
export function Form({ onSubmit, saved, children }: FormProps) {
  const [typed, setTyped] = useState(false);
  useEffect(() => {
    if (saved) setTyped(false);
  }, [saved]);
  return (
    <form
      // Without its script a browser must not put what was typed into the address.
      method="post"
      onChange={() => setTyped(true)}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(new FormData(event.currentTarget));
      }}
    >
      <Unsaved when={typed} />
      <Stack>{children}</Stack>
    </form>
  );
}

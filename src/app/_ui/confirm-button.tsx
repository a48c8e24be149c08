"use client";

import { Button } from "@mantine/core";
import { useState } from "react";
import { type Confirmation, ConfirmByName } from "./confirm-by-name.tsx";

interface ConfirmButtonProps extends Confirmation {
  /** Text of the button that opens the dialog, where the verb alone is not enough. */
  readonly label?: string;
  readonly variant?: "subtle" | "default";
}

/** A button for what needs a confirmation by name, with its dialog. */
export function ConfirmButton({ label, variant = "subtle", ...confirmation }: ConfirmButtonProps) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button variant={variant} color="red" c="var(--mantine-color-error)" onClick={() => setAsking(true)}>
        {label ?? confirmation.verb}
      </Button>
      {asking && <ConfirmByName {...confirmation} onClose={() => setAsking(false)} />}
    </>
  );
}

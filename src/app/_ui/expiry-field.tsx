"use client";

import { NativeSelect, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { formatAbsolute } from "../_lib/format.ts";
import { expiryChoices } from "../_lib/key-limits.ts";
import { isoOfLocal } from "../_lib/use-now.ts";

interface ExpiryFieldProps {
  /** Read with `expiryBody`. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: string | undefined;
}

const another = "another";
const isChoice = (value: string) => expiryChoices.some((choice) => choice.value === value);

/** When a key ends: so many days from now, never, or at a time of one's own. */
export function ExpiryField({ value, onChange, error }: ExpiryFieldProps) {
  const [first] = useState(value);
  const [choosing, setChoosing] = useState(false);
  const times = [...new Set([first, value])].filter((time) => !isChoice(time));
  return (
    <Stack gap="xs">
      <NativeSelect
        label="Expires"
        value={choosing ? another : value}
        onChange={({ currentTarget }) => {
          setChoosing(currentTarget.value === another);
          if (currentTarget.value !== another) onChange(currentTarget.value);
        }}
        error={!choosing && error}
        data={[
          ...times.map((time) => ({ value: time, label: formatAbsolute(time) })),
          ...expiryChoices,
          { value: another, label: "Custom…" },
        ]}
      />
      {choosing && (
        <TextInput
          type="datetime-local"
          label="Expires at"
          description="In your browser's time zone"
          required
          withAsterisk={false}
          onChange={(event) => onChange(isoOfLocal(event.currentTarget.value) ?? "")}
          error={error}
        />
      )}
    </Stack>
  );
}

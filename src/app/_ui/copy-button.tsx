"use client";

import { ActionIcon, CopyButton as MantineCopyButton } from "@mantine/core";
import { CheckIcon, CopyIcon } from "./icons.tsx";

/** Copies `value`; `label` is the accessible name of the button. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  return (
    <MantineCopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color={copied ? "green" : "gray"}
          onClick={(event) => {
            event.stopPropagation();
            copy();
          }}
          title={label}
          aria-label={copied ? "Copied" : label}
        >
          {copied ? <CheckIcon width={16} height={16} /> : <CopyIcon width={16} height={16} />}
        </ActionIcon>
      )}
    </MantineCopyButton>
  );
}

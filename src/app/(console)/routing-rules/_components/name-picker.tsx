"use client";

import { ActionIcon, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { CloseIcon } from "#app/_ui/icons.tsx";

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface NamePickerProps {
  readonly label: string;
  readonly description: ReactNode;
  readonly addLabel: string;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: string[]) => void;
  readonly choices: readonly Choice[];
  /** Draws the list otherwise, as when its order counts. */
  readonly children?: ReactNode;
}

/** One chosen name with a button that removes it. */
export function ChosenName({ name, onRemove }: { name: string; onRemove: () => void }) {
  return (
    <>
      <Text size="sm" style={{ overflowWrap: "anywhere", flex: 1 }}>
        {name}
      </Text>
      <ActionIcon variant="subtle" color="gray" size="sm" onClick={onRemove} aria-label={`Remove ${name}`}>
        <CloseIcon width={14} height={14} />
      </ActionIcon>
    </>
  );
}

/** Names from the catalogue, added one by one. What the catalogue does not know stays until it is removed. */
export function NamePicker(props: NamePickerProps) {
  const { label, description, addLabel, chosen, onChange, choices, children } = props;
  const id = useId();
  const left = choices.filter(({ value }) => !chosen.includes(value));
  return (
    <Stack gap={6} role="group" aria-labelledby={id}>
      <div>
        <Text size="sm" fw={600} id={id}>
          {label}
        </Text>
        <Text size="xs" c="dimmed">
          {description}
        </Text>
      </div>
      {children ??
        (chosen.length > 0 && (
          <Stack component="ul" gap={2} m={0} p={0} style={{ listStyle: "none" }}>
            {chosen.map((name) => (
              <Group component="li" key={name} gap="xs" wrap="nowrap">
                <ChosenName name={name} onRemove={() => onChange(chosen.filter((one) => one !== name))} />
              </Group>
            ))}
          </Stack>
        ))}
      <NativeSelect
        size="xs"
        aria-label={addLabel}
        value=""
        onChange={({ currentTarget: { value } }) => value && onChange([...chosen, value])}
        data={[{ value: "", label: `${addLabel}…` }, ...left]}
      />
    </Stack>
  );
}

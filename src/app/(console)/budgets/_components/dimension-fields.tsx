import { NativeSelect, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { isPlainDimension, plainDimensions } from "#contract/budget-dimensions.ts";
import { dimensionText } from "./budget-text.ts";
import { type BudgetDraft, withDimension } from "./draft.ts";
import { OtherKey } from "./other-key.tsx";
import type { Choice, useNames } from "./use-names.ts";

interface DimensionFieldsProps {
  readonly draft: BudgetDraft;
  readonly onChange: (draft: BudgetDraft) => void;
  readonly choices: ReturnType<typeof useNames>["choices"];
  /** Keys of `metadata` to choose from. */
  readonly tags: readonly string[];
  readonly error?: string | undefined;
}

interface DimensionFieldProps {
  readonly name: string;
  /** Undefined: any; null: each separately. */
  readonly value: string | null | undefined;
  readonly onChange: (value: string | null | undefined) => void;
  /** Null: any text may be typed. */
  readonly choices: readonly Choice[] | null;
}

/** Values of the select; values of the dimension stand behind the equals sign. */
const any = "any";
const each = "each";
const selectedOf = (value: string | null | undefined, isTyped: boolean): string =>
  value === undefined ? any : value === null ? each : isTyped ? "=" : `=${value}`;

function DimensionField({ name, value, onChange, choices }: DimensionFieldProps) {
  const { label, noun } = dimensionText(name);
  const known = choices ?? [{ value: "", label: `One ${noun}` }];
  // What is no longer in the lists stays until it is changed.
  const others =
    choices && typeof value === "string" && !known.some((choice) => choice.value === value)
      ? [{ value, label: value }]
      : [];
  return (
    <Stack gap={6}>
      <NativeSelect
        label={label}
        value={selectedOf(value, choices === null)}
        onChange={({ currentTarget: { value: chosen } }) =>
          onChange(chosen === any ? undefined : chosen === each ? null : chosen.slice(1))
        }
        data={[
          { value: any, label: `Any ${noun}` },
          { value: each, label: `Each ${noun} separately` },
          ...[...known, ...others].map((choice) => ({ value: `=${choice.value}`, label: choice.label })),
        ]}
      />
      {choices === null && typeof value === "string" && (
        <TextInput
          aria-label={`Value of ${noun}`}
          placeholder="As in the requests"
          required
          maxLength={200}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Stack>
  );
}

/** Which requests a budget counts, and what it counts separately. */
export function DimensionFields({ draft, onChange, choices, tags, error }: DimensionFieldsProps) {
  const [others, setOthers] = useState<readonly string[]>([]);
  const names = [...new Set([...plainDimensions, ...tags, ...others])];
  return (
    <Stack gap="xs" role="group" aria-label="Applies to">
      <div>
        <Text size="sm" fw={600}>
          Applies to
        </Text>
        <Text size="xs" c="dimmed">
          Requests that match all of these. “Separately” gives each value a limit of its own.
        </Text>
      </div>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {names.map((name) => (
          <DimensionField
            key={name}
            name={name}
            value={draft.dimensions.find(({ dimension }) => dimension === name)?.value}
            onChange={(value) => onChange(withDimension(draft, name, value))}
            choices={isPlainDimension(name) ? choices[name] : null}
          />
        ))}
      </SimpleGrid>
      <OtherKey
        onAdd={(name) => {
          setOthers([...others, name]);
          onChange(withDimension(draft, name, null));
        }}
      />
      {error && (
        <Text size="xs" c="red.8" role="alert">
          {error}
        </Text>
      )}
    </Stack>
  );
}

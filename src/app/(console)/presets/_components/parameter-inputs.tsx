"use client";

import {
  ActionIcon,
  Code,
  Group,
  NativeSelect,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useId } from "react";
import { CloseIcon } from "#app/_ui/icons.tsx";
import { WithCode } from "#app/_ui/with-code.tsx";
import { readParameter, type Typed } from "./draft.ts";
import { type ParameterField, parameterField, parameterFields } from "./parameter-kinds.ts";

/** What a new parameter begins with: nothing can be typed into a choice. */
const firstText = ({ kind }: ParameterField): string => {
  if (kind.input === "choice") return kind.choices[0] ?? "";
  return kind.input === "boolean" ? "true" : "";
};

interface InputProps {
  readonly field: ParameterField;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function ParameterInput({ field: { name, description, kind }, text, onChange }: InputProps) {
  const read = readParameter(name, text);
  const common = {
    label: <Code>{name}</Code>,
    "aria-label": name,
    description: <WithCode text={description} />,
    value: text,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
    error: text !== "" && "problem" in read ? `${name} ${read.problem}` : undefined,
  };
  if (kind.input === "choice") return <NativeSelect {...common} data={[...kind.choices]} />;
  if (kind.input === "boolean") return <NativeSelect {...common} data={["true", "false"]} />;
  if (kind.input === "json")
    return (
      <Textarea
        {...common}
        autosize
        minRows={2}
        maxRows={16}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 13 } }}
      />
    );
  if (kind.input === "text") return <TextInput {...common} autoComplete="off" />;
  return (
    <TextInput
      {...common}
      type="number"
      autoComplete="off"
      min={kind.min}
      max={kind.max}
      step={kind.isWhole ? 1 : "any"}
    />
  );
}

interface ParameterInputsProps {
  readonly typed: Typed;
  readonly onChange: (typed: Typed) => void;
}

/** The parameters that a preset sets, and a list to add others from. */
export function ParameterInputs({ typed, onChange }: ParameterInputsProps) {
  const id = useId();
  const chosen = Object.keys(typed).flatMap((name) => parameterField(name) ?? []);
  const left = parameterFields.filter(({ name }) => !Object.hasOwn(typed, name));
  const remove = (name: string) =>
    onChange(Object.fromEntries(Object.entries(typed).filter(([one]) => one !== name)));
  return (
    <Stack gap="xs" role="group" aria-labelledby={id}>
      <div>
        <Text size="sm" fw={600} id={id}>
          Parameters
        </Text>
        <Text size="xs" c="dimmed">
          Used for requests that do not send them
        </Text>
      </div>
      {chosen.map((field) => (
        <Group key={field.name} gap="xs" wrap="nowrap" align="flex-start">
          <div style={{ flex: 1, minWidth: 0 }}>
            <ParameterInput
              field={field}
              text={typed[field.name] ?? ""}
              onChange={(text) => onChange({ ...typed, [field.name]: text })}
            />
          </div>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={() => remove(field.name)}
            aria-label={`Remove ${field.name}`}
          >
            <CloseIcon width={14} height={14} />
          </ActionIcon>
        </Group>
      ))}
      <Select
        size="xs"
        aria-label="Add a parameter"
        placeholder="Add a parameter…"
        searchable
        value={null}
        data={left.map(({ name }) => name)}
        nothingFoundMessage="No matching parameter"
        onChange={(name) => {
          const field = parameterField(name ?? "");
          if (field) onChange({ ...typed, [field.name]: firstText(field) });
        }}
      />
    </Stack>
  );
}

import { Group } from "@mantine/core";
import { DayField, type SectionFieldsProps, TextField, TokensField } from "./entry-inputs.tsx";

/** What is changed most often of an own model. */
export function ModelFields(props: SectionFieldsProps) {
  return (
    <>
      <TextField {...props} label="Name" name="name" />
      <Group grow align="start">
        <TokensField {...props} label="Context (tokens)" name="context_length" />
        <TokensField {...props} label="Longest answer (tokens)" name="max_output_tokens" />
      </Group>
      <Group grow align="start">
        <DayField {...props} label="Deprecated from" name="deprecation_date" />
        <DayField {...props} label="Ends on" name="expiration_date" />
      </Group>
      <TextField
        {...props}
        label="Successor"
        name="successor"
        description="ID of the model to use instead, shown with one of the two days"
      />
    </>
  );
}

import { Radio, Stack } from "@mantine/core";
import type { EntryScope } from "#contract/catalogue-entry.ts";

interface ScopeFieldProps {
  readonly scope: EntryScope;
  /** What each choice means. */
  readonly texts: Readonly<Record<EntryScope, string>>;
  readonly onChange: (scope: EntryScope) => void;
}

/** Whom an entry of the catalogue is for. Only the operator has the choice. */
export const ScopeField = ({ scope, texts, onChange }: ScopeFieldProps) => (
  <Radio.Group
    label="Available to"
    value={scope}
    onChange={(value) => onChange(value === "installation" ? value : "organisation")}
  >
    <Stack gap="xs" mt={6}>
      <Radio value="organisation" label="Your organisation" description={texts.organisation} />
      <Radio value="installation" label="All organisations" description={texts.installation} />
    </Stack>
  </Radio.Group>
);

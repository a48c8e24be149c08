"use client";

import { Alert, Textarea } from "@mantine/core";

interface JsonEditorProps {
  readonly text: string;
  /** Why the text is not a rule; null when it is one. */
  readonly problem: string | null;
  readonly onChange: (text: string) => void;
}

/** The rule as the API takes it. The form and the dry run follow as soon as it can be read. */
export function JsonEditor({ text, problem, onChange }: JsonEditorProps) {
  return (
    <>
      <Textarea
        label="The rule as JSON"
        autosize
        minRows={16}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 13 } }}
        value={text}
        onChange={({ currentTarget: { value } }) => onChange(value)}
      />
      {problem !== null && (
        <Alert color="orange" variant="light" role="alert" c="var(--mantine-color-text)">
          {problem}
        </Alert>
      )}
    </>
  );
}

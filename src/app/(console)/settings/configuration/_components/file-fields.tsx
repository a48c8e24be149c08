"use client";

import { Checkbox, FileInput, Textarea } from "@mantine/core";

interface FileFieldsProps {
  readonly file: string;
  readonly prune: boolean;
  readonly onFile: (text: string) => void;
  readonly onPrune: (isWanted: boolean) => void;
}

/** The file, chosen or pasted, and whether what it does not have is deleted. */
export function FileFields({ file, prune, onFile, onPrune }: FileFieldsProps) {
  return (
    <>
      <FileInput
        label="Choose a file"
        description="YAML or JSON. Nothing changes before you have seen the plan and applied it."
        placeholder="portolan.yaml"
        // The usual grey of placeholders has too little contrast in the dark scheme.
        styles={{ placeholder: { color: "var(--mantine-color-text)" } }}
        accept=".yaml,.yml,.json"
        onChange={async (chosen) => onFile(chosen ? await chosen.text() : "")}
      />
      <Textarea
        label="Or paste it here"
        value={file}
        onChange={(event) => onFile(event.currentTarget.value)}
        autosize
        minRows={6}
        maxRows={18}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
      />
      <Checkbox
        label="Delete what is not in the file"
        description="Of the kinds that the file has. Kinds that it does not have stay as they are."
        checked={prune}
        onChange={(event) => onPrune(event.currentTarget.checked)}
      />
    </>
  );
}

"use client";

import { Button, Collapse, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import { type Draft, operations } from "./draft.ts";
import type { ChangeDraft } from "./use-draft.ts";

const schemaExample =
  '{ "type": "object", "properties": { "port": { "type": "string" } }, "required": ["port"], "additionalProperties": false }';

/** Fields as JSON, hidden at first; a draft that has some shows them until a person hides them. */
export function AdvancedFields({ draft, change }: { draft: Draft; change: ChangeDraft }) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const open = chosen ?? (draft.tools !== "" || draft.schema !== "" || draft.fields !== "");
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        w="fit-content"
        onClick={() => setChosen(!open)}
        aria-expanded={open}
      >
        {open ? "Hide advanced" : "Advanced"}
      </Button>
      <Collapse expanded={open}>
        <Stack gap="sm">
          {operations[draft.operation].tools && (
            <JsonArea
              label="Tools (JSON array)"
              value={draft.tools}
              onChange={(tools) => change({ tools })}
            />
          )}
          {operations[draft.operation].tools && (
            <JsonArea
              label="Schema of the answer (JSON schema)"
              placeholder={schemaExample}
              value={draft.schema}
              onChange={(schema) => change({ schema })}
            />
          )}
          <JsonArea
            label="Other parameters (JSON object)"
            placeholder={'{ "provider": { "data_residency": "eu" }, "top_p": 0.9 }'}
            value={draft.fields}
            onChange={(fields) => change({ fields })}
          />
        </Stack>
      </Collapse>
    </>
  );
}

interface JsonAreaProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

const JsonArea = ({ onChange, ...props }: JsonAreaProps) => (
  <Textarea
    {...props}
    autosize
    minRows={3}
    maxRows={12}
    styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
);

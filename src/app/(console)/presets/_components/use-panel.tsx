"use client";

import { Button, Code, NativeSelect, Stack, Tabs, Text } from "@mantine/core";
import Link from "next/link";
import { useState } from "react";
import { useMay } from "#app/_lib/use-may.ts";
import { CodeBlock } from "#app/_ui/code-block.tsx";
import {
  type Draft,
  emptyDraft,
  isOperation,
  type Operation,
  operations,
} from "#app/(console)/playground/_components/draft.ts";
import { fragmentOf } from "#app/(console)/playground/_components/shared-draft.ts";
import { snippetsOf } from "#app/(console)/playground/_components/snippets.ts";
import type { PresetWithVersion } from "#contract/preset.ts";
import { presetPrefix } from "#contract/preset-name.ts";

/** A request of the playground with the preset, and nothing that would replace what the preset sets. */
const requestOf = (name: string, operation: Operation): Draft => ({
  ...emptyDraft,
  operation,
  models: [`${presetPrefix}${name}`],
  input: operation === "rerank" ? "shipping costs" : "Hello",
  documents: operation === "rerank" ? "Shipping is free.\nWe are closed on Sundays." : "",
  max_tokens: null,
  stream: false,
});

const labelOf = (operation: Operation) => ({ value: operation, label: operations[operation].path });

/** How a program uses a preset, as code to copy, and the playground with it. */
export function UsePanel({ preset: { name, designated_version: version } }: { preset: PresetWithVersion }) {
  const mayAsk = useMay("inference:use");
  const shown = version.operations.filter(isOperation);
  const [chosen, setChosen] = useState<Operation>(shown[0] ?? "chat");
  const request = requestOf(name, chosen);
  const snippets = snippetsOf(window.location.origin, request);
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Send <Code>{`"model": "${presetPrefix}${name}"`}</Code>, or <Code>{`"preset": "${name}"`}</Code>. Add{" "}
        <Code>@{version.version}</Code> to stay with this version. Values in a request replace those of the
        preset.
      </Text>
      {shown.length > 1 && (
        <NativeSelect
          label="Operation"
          w={260}
          value={chosen}
          onChange={({ currentTarget: { value } }) => isOperation(value) && setChosen(value)}
          data={shown.map(labelOf)}
        />
      )}
      <Tabs defaultValue={snippets[0]?.label}>
        <Tabs.List mb="sm">
          {snippets.map(({ label }) => (
            <Tabs.Tab key={label} value={label}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ label, code }) => (
          <Tabs.Panel key={label} value={label}>
            <CodeBlock code={code} label={`${label} code`} />
          </Tabs.Panel>
        ))}
      </Tabs>
      {mayAsk && shown.length > 0 && (
        <div>
          <Button
            component={Link}
            href={`/playground${fragmentOf({ ...request, input: "", documents: "", stream: true })}`}
            size="xs"
            variant="default"
          >
            Open in playground
          </Button>
        </div>
      )}
    </Stack>
  );
}

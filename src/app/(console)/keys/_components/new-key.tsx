"use client";

import { Alert, Button, Group, Stack } from "@mantine/core";
import { CodeBlock } from "#app/_ui/code-block.tsx";
import { SnippetTabs } from "./snippet-tabs.tsx";

/** The key, this once, and how a program uses it. */
export function NewKey({ apiKey, onDone }: { apiKey: string; onDone: () => void }) {
  return (
    <Stack>
      <Alert variant="default" title="You will not see this key again">
        Only a hash is stored. Copy the key now and store it safely.
      </Alert>
      <CodeBlock code={apiKey} label="API key" />
      <SnippetTabs />
      <Group justify="flex-end">
        <Button onClick={onDone}>I have copied it</Button>
      </Group>
    </Stack>
  );
}

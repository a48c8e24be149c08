"use client";

import { Alert, Button, Group, Stack } from "@mantine/core";
import { CodeBlock } from "#app/_ui/code-block.tsx";
import { SnippetTabs } from "./snippet-tabs.tsx";

/** The key, this once, and how a program uses it. */
export function NewKey({ apiKey, onDone }: { apiKey: string; onDone: () => void }) {
  return (
    <Stack>
      <Alert variant="default" title="It is shown this once">
        Nobody can read it again, the server neither. Keep it where your program reads its secrets.
      </Alert>
      <CodeBlock code={apiKey} label="API key" />
      <SnippetTabs />
      <Group justify="flex-end">
        <Button onClick={onDone}>I have copied it</Button>
      </Group>
    </Stack>
  );
}

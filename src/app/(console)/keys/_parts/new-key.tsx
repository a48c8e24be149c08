"use client";

import { Alert, Button, Group, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { snippets } from "../../../_lib/snippets.ts";
import { useTRPC } from "../../../_lib/trpc.ts";
import { CodeBlock } from "../../../_ui/code-block.tsx";

/** The key, this once, and how a program uses it. */
export function NewKey({ apiKey, onDone }: { apiKey: string; onDone: () => void }) {
  const overview = useQuery(useTRPC().overview.get.queryOptions());
  const languages = snippets(window.location.origin, overview.data?.example_model ?? null);
  return (
    <Stack>
      <Alert variant="default" title="It is shown this once">
        Nobody can read it again, the server neither. Keep it where your program reads its secrets.
      </Alert>
      <CodeBlock code={apiKey} label="API key" />
      <Text size="sm">With the key in the environment as PORTOLAN_API_KEY:</Text>
      <Tabs defaultValue={languages[0]?.label}>
        <Tabs.List>
          {languages.map(({ label }) => (
            <Tabs.Tab key={label} value={label}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {languages.map(({ label, code }) => (
          <Tabs.Panel key={label} value={label} pt="sm">
            <CodeBlock code={code} label={`${label} example`} />
          </Tabs.Panel>
        ))}
      </Tabs>
      <Group justify="flex-end">
        <Button onClick={onDone}>I have copied it</Button>
      </Group>
    </Stack>
  );
}

"use client";

import { Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { snippets } from "#app/_lib/snippets.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { CodeBlock } from "#app/_ui/code-block.tsx";

/** How a program uses a key, in each language; `model` is what it may ask, null when that does not matter. */
export function SnippetTabs({ model = null }: { model?: string | null }) {
  const steps = useQuery(useTRPC().overview.firstSteps.queryOptions({}));
  const languages = snippets(window.location.origin, model ?? steps.data?.example_model ?? null);
  return (
    <Stack gap="xs">
      <Text size="sm">Set the environment variable PORTOLAN_API_KEY to your key, then run:</Text>
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
    </Stack>
  );
}

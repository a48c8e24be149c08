"use client";

import { Alert, Stack, Text } from "@mantine/core";
import { CodeBlock } from "#app/_ui/code-block.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import type { AppliedConfiguration } from "#contract/configuration.ts";
import { summaryText } from "./plan-text.ts";
import { Shown } from "./shown.tsx";

/** What was applied, with the keys that were generated, this once. */
export function AppliedPanel({ applied }: { applied: AppliedConfiguration }) {
  const { keys, changes } = applied;
  return (
    <Shown>
      <Panel title="Applied">
        <Stack gap="sm">
          <Text size="sm" role="status">
            {changes.length === 0
              ? "Nothing differed."
              : `${summaryText(applied, "done")}. The audit log has an entry for each change.`}
          </Text>
          {keys.length > 0 && (
            <Alert variant="default" title="You will not see these API keys again">
              Only hashes are stored. Copy the keys now and store them safely.
            </Alert>
          )}
          {keys.map(({ name, key }) => (
            <div key={name}>
              <Text size="sm" fw={600}>
                {name}
              </Text>
              <CodeBlock code={key} label={`API key ${name}`} />
            </div>
          ))}
        </Stack>
      </Panel>
    </Shown>
  );
}

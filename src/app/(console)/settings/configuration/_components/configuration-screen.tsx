"use client";

import { Anchor, Button, Code, Group, Stack, Text } from "@mantine/core";
import Link from "next/link";
import { download } from "#app/_lib/download.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { FormFailure } from "#app/_ui/form-failure.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { FilePanel } from "./file-panel.tsx";

const fileName = "portolan.yaml";

function ExportPanel() {
  const client = useTRPCClient();
  const exported = useMutation({
    mutationFn: async () => (await client.config.exportFile.query({})).data.file,
    onSuccess: (file) => download(fileName, "application/yaml", file),
  });
  return (
    <Panel title="Current configuration">
      <Stack gap="sm">
        <Text size="sm">
          The file describes workspaces, API keys, own providers, routing rules, destinations, budgets,
          presets, alerts and tags. It has references in place of secrets, so it can be kept in Git.
        </Text>
        <Group>
          <Button variant="default" onClick={() => exported.mutate()} loading={exported.isPending}>
            Download {fileName}
          </Button>
        </Group>
        <FormFailure error={exported.error} />
        <Text size="sm" c="dimmed">
          The command <Code>npm run cli -- config</Code> does the same in CI: see{" "}
          <Anchor component={Link} href="/docs/guides/configuration-as-code" inherit>
            the guide
          </Anchor>{" "}
          and the{" "}
          <Anchor component={Link} href="/docs/reference#config-planFile" inherit>
            API reference
          </Anchor>
          .
        </Text>
      </Stack>
    </Panel>
  );
}

/** The configuration of the organisation as a file: download, compare and apply. */
export function ConfigurationScreen() {
  const mayApply = useMay("workspaces:write");
  return (
    <Screen path="/settings/configuration">
      {mayApply ? (
        <>
          <ExportPanel />
          <FilePanel />
        </>
      ) : (
        <Text size="sm">Only owners and admins can read and change the configuration as a whole.</Text>
      )}
    </Screen>
  );
}

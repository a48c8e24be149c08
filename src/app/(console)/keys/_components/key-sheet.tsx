"use client";

import { Code, Group, Stack, Switch, Tabs } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { ConfirmButton } from "#app/_ui/confirm-button.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { Status } from "#app/_ui/status.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import type { ApiKey } from "#contract/key.ts";
import { changeOf, draftOf } from "./key-draft.ts";
import { KeyFacts } from "./key-facts.tsx";
import { KeyForm } from "./key-form.tsx";
import type { KeyState } from "./key-state.ts";
import { SnippetTabs } from "./snippet-tabs.tsx";

interface KeySheetProps {
  readonly apiKey: ApiKey;
  readonly keys: readonly ApiKey[];
  readonly state: KeyState;
  /** Null without the permission to change keys. */
  readonly setEnabled: ((key: ApiKey, enabled: boolean) => void) | null;
  readonly onClose: () => void;
}

/** One key: what it has spent and may, changing that, and how a program uses it. */
export function KeySheet({ apiKey, keys, state, setEnabled, onClose }: KeySheetProps) {
  const queryClient = useQueryClient();
  const client = useTRPCClient();
  const [tab, setTab] = useState<string | null>("about");
  const saved = draftOf(apiKey);
  const refresh = () => queryClient.invalidateQueries();
  const update = useMutation(
    useTRPC().keys.update.mutationOptions({
      onSuccess: async ({ data }) => {
        await refresh();
        setTab("about");
        await toastDone(`${data.name} is saved.`);
      },
    }),
  );
  return (
    <Sheet title={apiKey.name} onClose={onClose}>
      <Group justify="space-between" mb="md">
        <Group gap="md">
          <Code>{apiKey.label}</Code>
          <Status tone={state.tone}>{state.label}</Status>
        </Group>
        {setEnabled && (
          <Switch
            label="On"
            labelPosition="left"
            checked={!apiKey.disabled}
            onChange={(event) => setEnabled(apiKey, event.currentTarget.checked)}
          />
        )}
      </Group>
      <Tabs value={tab} onChange={setTab} keepMounted={false} keepMountedMode="display-none">
        <Tabs.List mb="md">
          <Tabs.Tab value="about">Overview</Tabs.Tab>
          {setEnabled && <Tabs.Tab value="change">Edit</Tabs.Tab>}
          <Tabs.Tab value="use">Code</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="about">
          <Stack>
            <KeyFacts apiKey={apiKey} keys={keys} />
            {setEnabled && (
              <Group>
                <ConfirmButton
                  variant="default"
                  verb="Revoke"
                  name={apiKey.name}
                  text="Requests with this key are refused within two seconds. This cannot be undone. Usage records are kept."
                  onConfirm={() => client.keys.remove.mutate({ hash: apiKey.hash })}
                  onDone={() => {
                    onClose();
                    void refresh();
                  }}
                />
              </Group>
            )}
          </Stack>
        </Tabs.Panel>
        {setEnabled && (
          // What is typed outlives a look at the other tabs, and ends when it is saved.
          <Tabs.Panel value="change" keepMounted>
            <KeyForm
              key={JSON.stringify(saved)}
              initial={saved}
              verb="Save"
              saving={update}
              onSave={(draft) => update.mutate({ hash: apiKey.hash, ...changeOf(apiKey, draft) })}
              onCancel={onClose}
            />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="use">
          <SnippetTabs model={apiKey.allowed_models?.[0] ?? null} />
        </Tabs.Panel>
      </Tabs>
    </Sheet>
  );
}

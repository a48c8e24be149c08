"use client";

import { Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import type { ApiKey } from "#contract/key.ts";
import { useTRPC } from "../../../_lib/trpc.ts";
import { FailureAlert } from "../../../_ui/failure-alert.tsx";
import { KeysTable } from "./keys-table.tsx";

/** Dialogs load when they are asked for. */
const CreateDialog = dynamic(() => import("./create-dialog.tsx").then(({ CreateDialog }) => CreateDialog), {
  ssr: false,
});
const RevokeDialog = dynamic(() => import("./revoke-dialog.tsx").then(({ RevokeDialog }) => RevokeDialog), {
  ssr: false,
});

export function KeysScreen() {
  const keys = useQuery(useTRPC().keys.list.queryOptions({}));
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const refresh = () => void keys.refetch();
  return (
    <Stack gap="lg" maw={1200} mx="auto">
      <Group justify="space-between">
        <div>
          <Title order={1} size="h2">
            API keys
          </Title>
          <Text c="dimmed" size="sm">
            A key can do no more than you can, and never more than you allow it
          </Text>
        </div>
        <Button onClick={() => setCreating(true)}>Create key</Button>
      </Group>
      {keys.isError && <FailureAlert error={keys.error} onRetry={refresh} />}
      {keys.isPending && <Skeleton h={240} radius="md" />}
      {keys.data && <KeysTable keys={keys.data.data} onRevoke={setRevoking} />}
      {creating && <CreateDialog onClose={() => setCreating(false)} onCreated={refresh} />}
      {revoking && <RevokeDialog apiKey={revoking} onClose={() => setRevoking(null)} onRevoked={refresh} />}
    </Stack>
  );
}

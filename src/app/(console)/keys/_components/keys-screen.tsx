"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsBoolean, parseAsString, useQueryState } from "nuqs";
import { formatCount } from "#app/_lib/format.ts";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useEnabledSwitch } from "#app/_lib/use-enabled-switch.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { useSort } from "#app/_lib/use-sort.ts";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import type { ApiKey } from "#contract/key.ts";
import { keyColumns } from "./key-columns.tsx";
import { keyState } from "./key-state.ts";

/** Dialogs and sheets load when they are asked for. */
const CreateDialog = dynamic(() => import("./create-dialog.tsx").then(({ CreateDialog }) => CreateDialog), {
  ssr: false,
});
const KeySheet = dynamic(() => import("./key-sheet.tsx").then(({ KeySheet }) => KeySheet), { ssr: false });

const everyKey = { include_disabled: "true" } as const;

export function KeysScreen() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const nowMs = useNow(10_000);
  const keys = useQuery(trpc.keys.list.queryOptions(everyKey));
  const workspaces = useQuery(trpc.workspaces.list.queryOptions({}));
  const mayWrite = useMay("keys:write");
  const [creating, setCreating] = useQueryState("create", parseAsBoolean.withDefault(false));
  const [open, setOpen] = useQueryState("open", parseAsString);
  const filters = useFilters(["find", "state", "workspace"]);
  const sorting = useSort("");
  const all = keys.data?.data ?? [];
  const beyond = (keys.data?.total_count ?? 0) - all.length;
  const byHash = new Map(all.map((key) => [key.hash, key]));
  const stateOf = (key: ApiKey) => keyState(key, byHash, nowMs);
  const save = useEnabledSwitch(
    trpc.keys.list.queryKey(everyKey),
    ({ id, enabled }) => {
      const hash = all.find((key) => key.id === id)?.hash ?? "";
      return client.keys.update.mutate({ hash, disabled: !enabled });
    },
    (enabled) => ({ disabled: !enabled }),
  );
  const setEnabled = mayWrite ? save : null;

  const { find, state, workspace } = filters.values;
  const wanted = find?.toLowerCase() ?? "";
  const rows = keys.data?.data.filter((key) => {
    const text = [key.name, key.label, key.app_host ?? ""].join(" ").toLowerCase();
    return (
      text.includes(wanted) &&
      (workspace === null || key.workspace_id === workspace) &&
      (state === null || (stateOf(key).tone === "good") === (state === "usable"))
    );
  });
  const opened = byHash.get(open ?? "");
  const create = mayWrite && (
    <Button size="xs" onClick={() => void setCreating(true)}>
      Create key
    </Button>
  );
  return (
    <Screen path="/keys" actions={create}>
      <FilterBar
        fields={[
          { name: "find", label: "Search", placeholder: "Name, key prefix or app", search: true },
          {
            name: "state",
            label: "Status",
            options: [
              { value: "usable", label: "Active" },
              { value: "unusable", label: "Inactive" },
            ],
          },
          ...((workspaces.data?.data.length ?? 0) > 0
            ? [
                {
                  name: "workspace" as const,
                  label: "Workspace",
                  options: workspaces.data?.data.map(({ id, name }) => ({ value: id, label: name })),
                },
              ]
            : []),
        ]}
        filters={filters}
      />
      <DataTable
        label="API keys"
        columns={keyColumns({ nowMs, stateOf, setEnabled })}
        rows={rows}
        rowId={({ hash }) => hash}
        onOpen={({ hash }) => void setOpen(hash)}
        selectedId={open}
        error={keys.error}
        onRetry={() => void keys.refetch()}
        onClearFilters={filters.active > 0 ? filters.clear : undefined}
        empty={
          <EmptyState
            title="No API keys yet"
            text="Programs call the API with a key. You set its spending limit, models and expiry. The key is shown once, with example code."
          >
            {create}
          </EmptyState>
        }
        footer={
          beyond > 0 && (
            <Text size="sm" c="dimmed" p="xs">
              Only the newest keys are shown. The API lists {formatCount(beyond)} older ones.
            </Text>
          )
        }
        {...sorting}
      />
      {creating && mayWrite && (
        <CreateDialog onClose={() => void setCreating(null)} onCreated={() => void keys.refetch()} />
      )}
      {opened && (
        <KeySheet
          key={opened.hash}
          apiKey={opened}
          keys={all}
          state={stateOf(opened)}
          setEnabled={setEnabled}
          onClose={() => void setOpen(null)}
        />
      )}
    </Screen>
  );
}

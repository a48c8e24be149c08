"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parseAsBoolean, parseAsString, useQueryState } from "nuqs";
import type { ReactNode } from "react";
import { formatCount } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useSort } from "#app/_lib/use-sort.ts";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { keyColumns } from "./key-columns.tsx";
import { keyFilterFields, keyFilterNames, passesFilters } from "./key-filter.ts";
import { useKeyList } from "./use-key-list.ts";

/** Dialogs and sheets load when they are asked for. */
const CreateDialog = part(() => import("./create-dialog.tsx").then(({ CreateDialog }) => CreateDialog));
const KeySheet = part(() => import("./key-sheet.tsx").then(({ KeySheet }) => KeySheet));

const NoKeys = ({ children }: { children: ReactNode }) => (
  <EmptyState
    title="No API keys yet"
    text="Programs call the API with a key. You set its spending limit, models and expiry. The key is shown once, with example code."
  >
    {children}
  </EmptyState>
);

const OlderKeys = ({ count }: { count: number }) => (
  <Text size="sm" c="dimmed" p="xs">
    Only the newest keys are shown. The API lists {formatCount(count)} older ones.
  </Text>
);

export function KeysScreen() {
  const { query, keys, byHash, nowMs, stateOf, setEnabled, olderCount } = useKeyList();
  const workspaces = useQuery(useTRPC().workspaces.list.queryOptions({}));
  const mayWrite = useMay("keys:write");
  const [creating, setCreating] = useQueryState("create", parseAsBoolean.withDefault(false));
  const [open, setOpen] = useQueryState("open", parseAsString);
  const filters = useFilters(keyFilterNames);
  const sorting = useSort("");
  const opened = byHash.get(open ?? "");
  const create = mayWrite && (
    <Button size="xs" onClick={() => void setCreating(true)}>
      Create key
    </Button>
  );
  return (
    <Screen path="/keys" actions={create}>
      <FilterBar fields={keyFilterFields(workspaces.data?.data)} filters={filters} />
      <DataTable
        label="API keys"
        columns={keyColumns({ nowMs, stateOf, setEnabled })}
        rows={query.data?.data.filter((key) => passesFilters(key, stateOf(key), filters.values))}
        rowId={({ hash }) => hash}
        onOpen={({ hash }) => void setOpen(hash)}
        selectedId={open}
        error={query.error}
        onRetry={() => void query.refetch()}
        onClearFilters={filters.active > 0 ? filters.clear : undefined}
        empty={<NoKeys>{create}</NoKeys>}
        footer={olderCount > 0 && <OlderKeys count={olderCount} />}
        {...sorting}
      />
      {creating && mayWrite && (
        <CreateDialog onClose={() => void setCreating(null)} onCreated={() => void query.refetch()} />
      )}
      {opened && (
        <KeySheet
          key={opened.hash}
          apiKey={opened}
          keys={keys}
          state={stateOf(opened)}
          setEnabled={setEnabled}
          onClose={() => void setOpen(null)}
        />
      )}
    </Screen>
  );
}

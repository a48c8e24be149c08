"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useState } from "react";
import { amountText, limitText } from "#app/_lib/limit-text.ts";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { ConfirmByName } from "#app/_ui/lazy.tsx";
import { part } from "#app/_ui/part.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { RowActions } from "#app/_ui/row-actions.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import type { Workspace } from "#contract/workspace.ts";

const WorkspaceDialog = part(() =>
  import("./workspace-dialog.tsx").then(({ WorkspaceDialog }) => WorkspaceDialog),
);

type OpenDialog = { readonly what: "change" | "delete"; readonly workspace: Workspace } | null;

const columnsOf = (
  nowMs: number,
  mayWrite: boolean,
  open: (what: "change" | "delete", workspace: Workspace) => void,
): readonly Column<Workspace>[] => [
  {
    id: "name",
    header: "Name",
    cell: ({ name, description }) => <TitleCell title={name} detail={description} />,
  },
  {
    id: "used",
    header: "Spent",
    align: "right",
    cell: (workspace) => (
      <>
        {amountText(workspace.usage)}
        <Text size="xs" c="dimmed">
          {limitText(workspace)}
        </Text>
      </>
    ),
  },
  {
    id: "month",
    header: "This month",
    align: "right",
    visibleFrom: "sm",
    cell: ({ usage_monthly }) => amountText(usage_monthly),
  },
  {
    id: "made",
    header: "Created",
    visibleFrom: "md",
    cell: ({ created_at }) => <RelativeTime iso={created_at} nowMs={nowMs} />,
  },
  {
    id: "actions",
    header: "Actions",
    align: "right",
    cell: (workspace) => (
      <RowActions
        actions={[
          mayWrite && {
            verb: "Edit",
            label: `Edit ${workspace.name}`,
            onClick: () => open("change", workspace),
          },
          mayWrite && {
            verb: "Delete",
            label: `Delete ${workspace.name}`,
            onClick: () => open("delete", workspace),
          },
        ]}
      />
    ),
  },
];

export function WorkspacesScreen() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const nowMs = useNow(30_000);
  const workspaces = useQuery(trpc.workspaces.list.queryOptions({}));
  const [creating, setCreating] = useQueryState("create", parseAsBoolean.withDefault(false));
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const close = () => {
    setDialog(null);
    void setCreating(null);
  };
  const refresh = () => void workspaces.refetch();
  const mayWrite = useMay("workspaces:write");

  return (
    <Screen
      path="/settings/workspaces"
      actions={
        mayWrite && (
          <Button size="xs" onClick={() => void setCreating(true)}>
            Create workspace
          </Button>
        )
      }
    >
      <DataTable
        label="Workspaces"
        columns={columnsOf(nowMs, mayWrite, (what, workspace) => setDialog({ what, workspace }))}
        rows={workspaces.data?.data}
        rowId={({ id }) => id}
        error={workspaces.error}
        onRetry={refresh}
        skeletonRows={3}
        empty={
          <EmptyState
            title="No workspaces yet"
            text="Create a workspace for a team or project. Its keys share one limit, and rules can apply to it alone."
          />
        }
      />
      {mayWrite && (creating || dialog?.what === "change") && (
        <WorkspaceDialog
          workspace={dialog?.what === "change" ? dialog.workspace : null}
          onClose={close}
          onSaved={refresh}
        />
      )}
      {dialog?.what === "delete" && (
        <ConfirmByName
          verb="Delete"
          name={dialog.workspace.name}
          text="Only empty workspaces can be deleted. Move or delete its keys, rules and destinations first. Usage records are kept."
          onConfirm={() => client.workspaces.remove.mutate({ id: dialog.workspace.id })}
          onDone={() => {
            refresh();
            close();
          }}
          onClose={close}
        />
      )}
    </Screen>
  );
}

"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useState } from "react";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { ConfirmByName } from "#app/_ui/lazy.tsx";
import { part } from "#app/_ui/part.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { RoleCell } from "#app/_ui/role-cell.tsx";
import { RowActions } from "#app/_ui/row-actions.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import type { ServiceAccount } from "#contract/member.ts";

/** Dialogs load when they are opened. */
const CreateDialog = part(() => import("./create-dialog.tsx").then(({ CreateDialog }) => CreateDialog));
const KeyDialog = part(() =>
  import("#app/(console)/keys/_components/create-dialog.tsx").then(
    ({ CreateDialog: KeyDialog }) => KeyDialog,
  ),
);

type OpenDialog = { readonly what: "key" | "delete"; readonly account: ServiceAccount } | null;

const columnsOf = (
  nowMs: number,
  mayWrite: boolean,
  open: (what: "key" | "delete", account: ServiceAccount) => void,
): readonly Column<ServiceAccount>[] => [
  {
    id: "name",
    header: "Name",
    cell: ({ name }) => (
      <Text size="sm" fw={500} style={{ overflowWrap: "anywhere" }}>
        {name}
      </Text>
    ),
  },
  {
    id: "role",
    header: "Role",
    cell: ({ role, problem }) => (
      <RoleCell
        role={role}
        problem={problem}
        effect="Its keys have no permission. Delete it and create another service account."
      />
    ),
  },
  { id: "keys", header: "Keys", align: "right", cell: ({ keys }) => keys },
  {
    id: "made",
    header: "Created",
    visibleFrom: "sm",
    cell: ({ created_at }) => <RelativeTime iso={created_at} nowMs={nowMs} />,
  },
  {
    id: "actions",
    header: "Actions",
    align: "right",
    cell: (account) => (
      <RowActions
        actions={[
          mayWrite && {
            verb: "Create key",
            label: `Create a key for ${account.name}`,
            onClick: () => open("key", account),
          },
          mayWrite && {
            verb: "Delete",
            label: `Delete ${account.name}`,
            onClick: () => open("delete", account),
          },
        ]}
      />
    ),
  },
];

export function ServiceAccountsScreen() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const nowMs = useNow(30_000);
  const session = useQuery(trpc.session.get.queryOptions());
  const accounts = useQuery(trpc.serviceAccounts.list.queryOptions({}));
  const [creating, setCreating] = useQueryState("create", parseAsBoolean.withDefault(false));
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const refresh = () => void accounts.refetch();
  const mayWrite = useMay("members:write");

  return (
    <Screen
      path="/settings/service-accounts"
      actions={
        mayWrite && (
          <Button size="xs" onClick={() => void setCreating(true)}>
            Create service account
          </Button>
        )
      }
    >
      <DataTable
        label="Service accounts"
        columns={columnsOf(nowMs, mayWrite, (what, account) => setDialog({ what, account }))}
        rows={accounts.data?.data}
        rowId={({ user_id }) => user_id}
        error={accounts.error}
        onRetry={refresh}
        skeletonRows={3}
        empty={
          <EmptyState
            title="No service accounts yet"
            text="Use a service account for a program that belongs to no single person. Its keys keep working when people leave."
          />
        }
      />
      {creating && mayWrite && session.data && (
        <CreateDialog role={session.data.role} onClose={() => void setCreating(null)} onCreated={refresh} />
      )}
      {dialog?.what === "key" && (
        <KeyDialog owner={dialog.account} onClose={() => setDialog(null)} onCreated={refresh} />
      )}
      {dialog?.what === "delete" && (
        <ConfirmByName
          verb="Delete"
          name={dialog.account.name}
          text="Its keys are deleted, and requests with them are refused within two seconds. Usage records are kept."
          onConfirm={() => client.serviceAccounts.remove.mutate({ user_id: dialog.account.user_id })}
          onDone={() => {
            refresh();
            setDialog(null);
          }}
          onClose={() => setDialog(null)}
        />
      )}
    </Screen>
  );
}

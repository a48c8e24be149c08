"use client";

import { Button, Skeleton, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { type OpenDialog, organisationColumns } from "./organisation-columns.tsx";

/** Dialogs load when they are opened. */
const OrganisationDialogs = part(() =>
  import("./organisation-dialogs.tsx").then(({ OrganisationDialogs }) => OrganisationDialogs),
);

const typedMs = 250;

/** Every organisation of the installation, for who runs it. */
export function OrganisationsScreen() {
  const trpc = useTRPC();
  const session = useQuery(trpc.session.get.queryOptions());
  const nowMs = useNow(30_000);
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed.trim(), typedMs);
  const isOperator = session.data?.operator === true;
  const organisations = useQuery(
    trpc.organisations.list.queryOptions(search ? { search } : {}, {
      enabled: isOperator,
      placeholderData: keepPreviousData,
    }),
  );
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  if (!isOperator) {
    return (
      <Screen path="/settings/organisations">
        {session.isPending ? (
          <Skeleton h={320} radius="md" />
        ) : (
          <EmptyState
            title="Only for the operator of this installation"
            text="Owners of the operator's organisation see all organisations here."
          />
        )}
      </Screen>
    );
  }
  return (
    <Screen
      path="/settings/organisations"
      actions={
        <Button size="xs" onClick={() => setDialog({ what: "create" })}>
          Create organisation
        </Button>
      }
    >
      <TextInput
        aria-label="Find an organisation by name"
        placeholder="Find by name"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        maxLength={100}
        maw={320}
        autoComplete="off"
      />
      <DataTable
        label="Organisations"
        columns={organisationColumns(nowMs, setDialog)}
        rows={organisations.data?.data}
        rowId={({ id }) => id}
        error={organisations.error}
        onRetry={() => void organisations.refetch()}
        onClearFilters={search ? () => setTyped("") : undefined}
        skeletonRows={3}
        empty="No organisations."
      />
      {dialog && (
        <OrganisationDialogs
          dialog={dialog}
          onClose={() => setDialog(null)}
          onChanged={() => void organisations.refetch()}
        />
      )}
    </Screen>
  );
}

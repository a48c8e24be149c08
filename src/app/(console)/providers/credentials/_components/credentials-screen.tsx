"use client";

import { Button } from "@mantine/core";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useEnabledSwitch } from "#app/_lib/use-enabled-switch.ts";
import { type Filters, useFilters } from "#app/_lib/use-filters.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { columnsOf } from "./credential-columns.tsx";
import { OpenCredential, useCredentialUrl } from "./open-credential.tsx";
import { SharedCredentialsNote } from "./shared-credentials-note.tsx";
import { type Credentials, useCredentials } from "./use-credentials.ts";
import { useRowCheck } from "./use-row-check.ts";

const refreshMs = 30_000;

export function CredentialsScreen() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const credentials = useCredentials();
  const { list, all, providers, operator, mayEdit } = credentials;
  const filters = useFilters(["provider"]);
  const url = useCredentialUrl();
  const nowMs = useNow(refreshMs);
  const setEnabled = useEnabledSwitch(
    trpc.byok.list.queryKey({}),
    ({ id, enabled }) => client.byok.update.mutate({ id, disabled: !enabled }),
    (enabled) => ({ disabled: !enabled }),
  );
  const checks = useRowCheck();
  const { provider: filtered } = filters.values;
  const button = mayEdit && (
    <Button size="xs" onClick={url.openNew}>
      Add credential
    </Button>
  );
  return (
    <Screen path="/providers/credentials" actions={button}>
      <ProviderFilter all={all} providers={providers} filters={filters} />
      <DataTable
        label="Provider credentials"
        columns={columnsOf({ providers, all, nowMs, changes: mayEdit ? { setEnabled, checks } : null })}
        rows={list.data?.data.filter(({ provider }) => filtered === null || provider === filtered)}
        rowId={({ id }) => id}
        {...(mayEdit && { onOpen: ({ id }: { id: string }) => url.openSaved(id) })}
        selectedId={url.open}
        error={list.error}
        onRetry={() => void list.refetch()}
        onClearFilters={filters.active > 0 ? filters.clear : undefined}
        skeletonRows={3}
        empty={
          <EmptyState
            title="No credentials yet"
            text="Add the API key of your own provider account: the provider bills you under your own contract, and no credit is used. The key is stored encrypted and never shown again."
          >
            {button}
          </EmptyState>
        }
      />
      <SharedCredentialsNote providers={providers} operator={operator} />
      <OpenCredential {...credentials} />
    </Screen>
  );
}

interface ProviderFilterProps extends Pick<Credentials, "all" | "providers"> {
  readonly filters: Filters<"provider">;
}

/** Narrows the list to one provider, once there are credentials of several. */
function ProviderFilter({ all, providers, filters }: ProviderFilterProps) {
  const used = new Set(all.map(({ provider }) => provider));
  if (used.size < 2) return null;
  const options = providers
    .filter(({ slug }) => used.has(slug))
    .map(({ slug, name }) => ({ value: slug, label: name }));
  return <FilterBar fields={[{ name: "provider", label: "Provider", options }]} filters={filters} />;
}

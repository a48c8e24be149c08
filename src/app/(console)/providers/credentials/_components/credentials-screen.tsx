"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsString, useQueryState } from "nuqs";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useEnabledSwitch } from "#app/_lib/use-enabled-switch.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import type { CatalogueProvider } from "#contract/catalogue-view.ts";
import { columnsOf } from "./credential-columns.tsx";
import { useRowCheck } from "./use-row-check.ts";

const CredentialSheet = dynamic(
  () => import("./credential-sheet.tsx").then(({ CredentialSheet }) => CredentialSheet),
  { ssr: false },
);

/** `?add=choose` asks for the provider too, any other value names it. */
const choose = "choose";
const refreshMs = 30_000;

export function CredentialsScreen() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const credentials = useQuery(trpc.byok.list.queryOptions({}));
  const catalogue = useQuery(trpc.catalogue.providers.queryOptions({}, { staleTime: 60_000 }));
  const session = useQuery(trpc.session.get.queryOptions());
  const filters = useFilters(["provider"]);
  const [add, setAdd] = useQueryState("add", parseAsString);
  const [open, setOpen] = useQueryState("open", parseAsString);
  const mayWrite = useMay("byok:write");
  const nowMs = useNow(refreshMs);
  const setEnabled = useEnabledSwitch(
    trpc.byok.list.queryKey({}),
    ({ id, enabled }) => client.byok.update.mutate({ id, disabled: !enabled }),
    (enabled) => ({ disabled: !enabled }),
  );
  const checks = useRowCheck();
  const operator = session.data?.operator ?? false;
  const providers = catalogue.data?.data ?? [];
  const all = credentials.data?.data ?? [];
  const rows = credentials.data?.data.filter(
    ({ provider }) => filters.values.provider === null || provider === filters.values.provider,
  );
  const used = new Set(all.map(({ provider }) => provider));
  const takers = providers.filter(
    ({ auth, byok_supported }) => auth !== "none" && (byok_supported || operator),
  );
  const opened = all.find(({ id }) => id === open);
  const button = mayWrite && (
    <Button size="xs" onClick={() => void setAdd(choose)}>
      Add credential
    </Button>
  );
  return (
    <Screen path="/providers/credentials" actions={button}>
      {used.size > 1 && (
        <FilterBar
          fields={[
            {
              name: "provider",
              label: "Provider",
              options: providers
                .filter(({ slug }) => used.has(slug))
                .map(({ slug, name }) => ({ value: slug, label: name })),
            },
          ]}
          filters={filters}
        />
      )}
      <DataTable
        label="Provider credentials"
        columns={columnsOf({ providers, all, nowMs, mayWrite, setEnabled, checks })}
        rows={rows}
        rowId={({ id }) => id}
        {...(mayWrite && { onOpen: ({ id }: { id: string }) => void setOpen(id) })}
        selectedId={open}
        error={credentials.error}
        onRetry={() => void credentials.refetch()}
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
      <Installation providers={providers} operator={operator} />
      {add !== null && mayWrite && catalogue.data && (
        <CredentialSheet
          providers={takers}
          chosen={add === choose ? undefined : add}
          operator={operator}
          onDone={() => void setAdd(null)}
        />
      )}
      {opened && mayWrite && catalogue.data && (
        <CredentialSheet
          providers={providers}
          saved={opened}
          operator={operator}
          onDone={() => void setOpen(null)}
        />
      )}
    </Screen>
  );
}

interface InstallationProps {
  readonly providers: readonly CatalogueProvider[];
  readonly operator: boolean;
}

/** What is used where there is no credential of one's own. */
function Installation({ providers, operator }: InstallationProps) {
  if (providers.length === 0) return null;
  const reached = providers.filter(({ credentials }) => credentials.installation).map(({ name }) => name);
  return (
    <Text size="sm" c="dimmed">
      {reached.length > 0
        ? `Otherwise requests use a shared credential, available for ${listed.format(reached)}.`
        : "There are no shared credentials."}
      {operator && " As the operator, you can add one for all organisations."}
    </Text>
  );
}

const listed = new Intl.ListFormat("en-GB");

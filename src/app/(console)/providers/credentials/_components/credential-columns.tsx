import { Button, Code, Switch, Text } from "@mantine/core";
import type { Column } from "#app/_ui/data-table.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Status } from "#app/_ui/status.tsx";
import type { ProviderCredential } from "#contract/byok.ts";
import type { CatalogueProvider } from "#contract/catalogue-view.ts";
import { CheckStatus } from "./check-status.tsx";
import { priorityText } from "./priority-text.ts";
import type { useRowCheck } from "./use-row-check.ts";

/** What rows of the list can do; null for who may only read. */
interface RowChanges {
  readonly setEnabled: (credential: ProviderCredential, enabled: boolean) => void;
  readonly checks: ReturnType<typeof useRowCheck>;
}

interface ColumnOptions {
  readonly providers: readonly CatalogueProvider[];
  readonly all: readonly ProviderCredential[];
  readonly nowMs: number;
  readonly changes: RowChanges | null;
}

interface CellProps {
  readonly credential: ProviderCredential;
}

function NameCell({ credential, providers }: CellProps & Pick<ColumnOptions, "providers">) {
  const { name, provider, last_four } = credential;
  return (
    <>
      <Text component="span" size="sm" fw={550} display="block" style={{ overflowWrap: "anywhere" }}>
        {name}
      </Text>
      <Text component="span" size="xs" c="dimmed">
        {providers.find(({ slug }) => slug === provider)?.name ?? provider}
        {last_four && (
          <>
            {" "}
            <Code>…{last_four}</Code>
          </>
        )}
      </Text>
    </>
  );
}

function PriorityCell({ credential, all }: CellProps & Pick<ColumnOptions, "all">) {
  const { when, only } = priorityText(credential, all);
  return (
    <>
      <Text size="sm">{when}</Text>
      {only && (
        <Text size="xs" c="dimmed">
          {only}
        </Text>
      )}
    </>
  );
}

function CheckButton({ credential: { id, name }, checks }: CellProps & Pick<RowChanges, "checks">) {
  return (
    <Button
      size="compact-sm"
      variant="default"
      onClick={() => checks.run(id)}
      loading={checks.pending === id}
      aria-label={`Check ${name}`}
    >
      Check
    </Button>
  );
}

function EnabledCell({ credential, changes }: CellProps & Pick<ColumnOptions, "changes">) {
  if (!changes) return credential.disabled ? "Off" : "On";
  return (
    <Switch
      display="inline-block"
      aria-label={`Use ${credential.name}`}
      checked={!credential.disabled}
      onChange={(event) => changes.setEnabled(credential, event.currentTarget.checked)}
    />
  );
}

export function columnsOf({ providers, all, nowMs, changes }: ColumnOptions): Column<ProviderCredential>[] {
  const checkColumn: Column<ProviderCredential>[] = changes
    ? [
        {
          id: "act",
          header: "Check",
          visibleFrom: "sm",
          cell: (credential) => <CheckButton credential={credential} checks={changes.checks} />,
        },
      ]
    : [];
  return [
    {
      id: "name",
      header: "Credential",
      cell: (credential) => <NameCell credential={credential} providers={providers} />,
    },
    {
      id: "serves",
      header: "Priority",
      visibleFrom: "sm",
      cell: (credential) => <PriorityCell credential={credential} all={all} />,
    },
    {
      id: "used",
      header: "Last used",
      visibleFrom: "md",
      cell: ({ last_used: at }) => (at ? <RelativeTime iso={at} nowMs={nowMs} /> : "Never"),
    },
    {
      id: "check",
      header: "Last check",
      cell: ({ last_check, problem }) =>
        problem === null ? (
          <CheckStatus check={last_check} nowMs={nowMs} />
        ) : (
          <Status tone="bad" title={problem}>
            Cannot be read
          </Status>
        ),
    },
    ...checkColumn,
    {
      id: "on",
      header: "On",
      align: "right",
      cell: (credential) => <EnabledCell credential={credential} changes={changes} />,
    },
  ];
}

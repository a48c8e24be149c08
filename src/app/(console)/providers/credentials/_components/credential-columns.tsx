import { Button, Code, Switch, Text } from "@mantine/core";
import type { Column } from "#app/_ui/data-table.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import type { ProviderCredential } from "#contract/byok.ts";
import type { CatalogueProvider } from "#contract/catalogue-view.ts";
import { CheckStatus } from "./check-status.tsx";
import { priorityText } from "./priority-text.ts";
import type { useRowCheck } from "./use-row-check.ts";

interface ColumnOptions {
  readonly providers: readonly CatalogueProvider[];
  readonly all: readonly ProviderCredential[];
  readonly nowMs: number;
  readonly mayWrite: boolean;
  readonly setEnabled: (credential: ProviderCredential, enabled: boolean) => void;
  readonly checks: ReturnType<typeof useRowCheck>;
}

/** The list of credentials, column by column. */
export const columnsOf = ({
  providers,
  all,
  nowMs,
  mayWrite,
  setEnabled,
  checks,
}: ColumnOptions): Column<ProviderCredential>[] => [
  {
    id: "name",
    header: "Credential",
    cell: ({ name, provider, last_four }) => (
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
    ),
  },
  {
    id: "serves",
    header: "Priority",
    visibleFrom: "sm",
    cell: (credential) => {
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
    },
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
    cell: ({ last_check }) => <CheckStatus check={last_check} nowMs={nowMs} />,
  },
  ...(mayWrite
    ? ([
        {
          id: "act",
          header: "Check",
          visibleFrom: "sm",
          cell: ({ id, name }) => (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => checks.run(id)}
              loading={checks.pending === id}
              aria-label={`Check ${name}`}
            >
              Check
            </Button>
          ),
        },
      ] satisfies Column<ProviderCredential>[])
    : []),
  {
    id: "on",
    header: "On",
    align: "right",
    cell: (credential) =>
      mayWrite ? (
        <Switch
          display="inline-block"
          aria-label={`Use ${credential.name}`}
          checked={!credential.disabled}
          onChange={(event) => setEnabled(credential, event.currentTarget.checked)}
        />
      ) : credential.disabled ? (
        "Off"
      ) : (
        "On"
      ),
  },
];

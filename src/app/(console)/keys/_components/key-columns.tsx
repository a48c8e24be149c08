import { Code, Switch, Text } from "@mantine/core";
import { formatAbsolute } from "#app/_lib/format.ts";
import type { Column } from "#app/_ui/data-table.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Status } from "#app/_ui/status.tsx";
import type { ApiKey } from "#contract/key.ts";
import { KeySpent } from "./key-spent.tsx";
import type { KeyState } from "./key-state.ts";

interface ColumnOptions {
  readonly nowMs: number;
  readonly stateOf: (key: ApiKey) => KeyState;
  /** Null without the permission to change keys. */
  readonly setEnabled: ((key: ApiKey, enabled: boolean) => void) | null;
}

/** Times in ascending order; null, for never, comes first. */
const byTime = (a: string | null, b: string | null): number => (a ?? "").localeCompare(b ?? "");

export const keyColumns = ({ nowMs, stateOf, setEnabled }: ColumnOptions): readonly Column<ApiKey>[] => [
  {
    id: "name",
    header: "Key",
    compare: (a, b) => a.name.localeCompare(b.name, "en"),
    cell: ({ name, label, app_host: host }) => (
      <>
        <Text component="span" size="sm" fw={500} display="block" style={{ overflowWrap: "anywhere" }}>
          {name}
        </Text>
        <Code>{label}</Code>
        {host && (
          <Text component="span" size="xs" c="dimmed" display="block" translate="no">
            for {host}
          </Text>
        )}
      </>
    ),
  },
  {
    id: "state",
    header: "Status",
    visibleFrom: "sm",
    compare: (a, b) => stateOf(a).label.localeCompare(stateOf(b).label, "en"),
    cell: (key) => <Status tone={stateOf(key).tone}>{stateOf(key).label}</Status>,
  },
  {
    id: "used",
    header: "Spent",
    align: "right",
    compare: (a, b) => a.usage - b.usage,
    cell: (key) => <KeySpent apiKey={key} />,
  },
  {
    id: "last_used",
    header: "Last used",
    visibleFrom: "sm",
    compare: (a, b) => byTime(a.last_used, b.last_used),
    cell: ({ last_used }) => (last_used ? <RelativeTime iso={last_used} nowMs={nowMs} /> : "Never"),
  },
  {
    id: "ends",
    header: "Expires",
    visibleFrom: "lg",
    compare: (a, b) => byTime(a.expires_at, b.expires_at),
    cell: ({ expires_at }) => (expires_at ? formatAbsolute(expires_at) : "Never"),
  },
  ...(setEnabled
    ? [
        {
          id: "on",
          header: "On",
          align: "right" as const,
          cell: (key: ApiKey) => (
            <Switch
              display="inline-block"
              aria-label={`${key.name} is on`}
              checked={!key.disabled}
              onChange={(event) => setEnabled(key, event.currentTarget.checked)}
            />
          ),
        },
      ]
    : []),
];

import { Anchor, Switch, Text } from "@mantine/core";
import Link from "next/link";
import type { Column } from "#app/_ui/data-table.tsx";
import { Status } from "#app/_ui/status.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import type { AlertRule } from "#contract/alert-rule.ts";
import { isMuted, mutedText, ruleSummary } from "./alert-text.ts";

interface ColumnOptions {
  readonly nowMs: number;
  readonly channelName: (id: string) => string;
  /** Null without the permission to change rules. */
  readonly setEnabled: ((rule: AlertRule, enabled: boolean) => void) | null;
}

/** Whether a rule has found something, or does not look. */
function RuleStatus({ rule, nowMs }: { rule: AlertRule; nowMs: number }) {
  const { open_incidents: count, enabled, muted_until, id, problem } = rule;
  if (problem !== null) return <Status tone="bad">Cannot be read</Status>;
  const muted = isMuted(rule, nowMs);
  return (
    <>
      {count > 0 ? (
        <Anchor component={Link} href={`/alerts/incidents?state=open&rule=${id}`}>
          <Status tone="bad">{count === 1 ? "1 open" : `${count} open`}</Status>
        </Anchor>
      ) : (
        <Status tone={enabled ? "good" : "neutral"}>{enabled ? "Nothing found" : "Off"}</Status>
      )}
      {muted && muted_until && (
        <Text size="xs" c="dimmed">
          {mutedText(muted_until)}
        </Text>
      )}
    </>
  );
}

export const ruleColumns = ({
  nowMs,
  channelName,
  setEnabled,
}: ColumnOptions): readonly Column<AlertRule>[] => [
  {
    id: "name",
    header: "Rule",
    cell: (rule) => <TitleCell title={rule.name} detail={rule.problem ?? ruleSummary(rule)} />,
  },
  { id: "status", header: "Status", cell: (rule) => <RuleStatus rule={rule} nowMs={nowMs} /> },
  {
    id: "channels",
    header: "Notifies",
    visibleFrom: "sm",
    cell: ({ channel_ids: ids }) => (
      <Text size="sm" c={ids.length === 0 ? "dimmed" : undefined}>
        {ids.length === 0 ? "Nobody" : ids.map(channelName).join(", ")}
      </Text>
    ),
  },
  ...(setEnabled
    ? [
        {
          id: "on",
          header: "On",
          align: "right" as const,
          cell: (rule: AlertRule) => (
            <Switch
              display="inline-block"
              aria-label={`${rule.name} is enabled`}
              checked={rule.enabled}
              onChange={(event) => setEnabled(rule, event.currentTarget.checked)}
            />
          ),
        },
      ]
    : []),
];

import { Text } from "@mantine/core";
import type { Column } from "#app/_ui/data-table.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Status } from "#app/_ui/status.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import { mutedText } from "#app/(console)/alerts/_components/alert-text.ts";
import type { AlertIncident, AlertNotification } from "#contract/alert-incident.ts";

/** What became of the notifications, in a few words; the worst first. */
function sentText(notifications: readonly AlertNotification[], muted: boolean): string {
  if (notifications.length === 0) return muted ? "Muted" : "No channel";
  const of = (status: AlertNotification["status"]) =>
    notifications.filter((one) => one.status === status).length;
  const parts = [
    [of("failed"), "given up"],
    [of("pending"), "pending"],
    [of("sent"), "sent"],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`)
    .join(", ");
}

export const incidentColumns = (nowMs: number): readonly Column<AlertIncident>[] => [
  {
    id: "title",
    header: "Incident",
    cell: ({ title, detail }) => <TitleCell title={title} detail={detail} />,
  },
  {
    id: "state",
    header: "Status",
    cell: ({ state, muted_until }) => (
      <>
        <Status tone={state === "open" ? "bad" : "good"}>{state === "open" ? "Open" : "Resolved"}</Status>
        {muted_until && (
          <Text size="xs" c="dimmed">
            {mutedText(muted_until)}
          </Text>
        )}
      </>
    ),
  },
  {
    id: "rule",
    header: "Rule",
    visibleFrom: "md",
    cell: ({ rule_name }) => <Text size="sm">{rule_name}</Text>,
  },
  {
    id: "sent",
    header: "Notifications",
    visibleFrom: "md",
    cell: ({ notifications, muted }) => <Text size="sm">{sentText(notifications, muted)}</Text>,
  },
  {
    id: "opened",
    header: "Opened",
    visibleFrom: "sm",
    cell: ({ opened_at }) => <RelativeTime iso={opened_at} nowMs={nowMs} />,
  },
];

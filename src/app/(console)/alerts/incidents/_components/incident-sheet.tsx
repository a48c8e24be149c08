"use client";

import { Anchor, Code, Stack, Text } from "@mantine/core";
import Link from "next/link";
import { formatAbsolute } from "#app/_lib/format.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { Facts } from "#app/_ui/facts.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { Status, type Tone } from "#app/_ui/status.tsx";
import { mutedText } from "#app/(console)/alerts/_components/alert-text.ts";
import type { AlertIncident, AlertNotification } from "#contract/alert-incident.ts";
import { alertKindTexts } from "#contract/alert-texts.ts";
import { MuteMenu } from "./mute-menu.tsx";

const statuses: Record<AlertNotification["status"], { readonly tone: Tone; readonly label: string }> = {
  pending: { tone: "neutral", label: "Pending" },
  sent: { tone: "good", label: "Sent" },
  failed: { tone: "bad", label: "Given up" },
};

const columns: readonly Column<AlertNotification>[] = [
  {
    id: "event",
    header: "Message",
    cell: ({ event, channel_name }) => `${event === "opened" ? "Alert" : "Resolved"} to ${channel_name}`,
  },
  {
    id: "status",
    header: "Status",
    cell: ({ status, last_error, sent_at, attempts }) => (
      <>
        <Status tone={statuses[status].tone} title={sent_at ? formatAbsolute(sent_at) : undefined}>
          {statuses[status].label}
        </Status>
        {last_error && (
          <Text size="xs" c="dimmed">
            {last_error} ({attempts === 1 ? "1 attempt" : `${attempts} attempts`})
          </Text>
        )}
      </>
    ),
  },
];

const reasons: Record<NonNullable<AlertIncident["resolution"]>, string> = {
  ended: "",
  rule_disabled: ", because the rule was disabled",
  rule_deleted: ", because the rule was deleted",
};

const resolvedText = ({ resolved_at, resolution }: AlertIncident): string =>
  resolved_at === null ? "Not yet" : `${formatAbsolute(resolved_at)}${reasons[resolution ?? "ended"]}`;

interface IncidentSheetProps {
  readonly incident: AlertIncident;
  readonly mayMute: boolean;
  readonly onClose: () => void;
}

/** One incident: what was found, and what was sent to whom. */
export function IncidentSheet({ incident, mayMute, onClose }: IncidentSheetProps) {
  return (
    <Sheet
      title={incident.title}
      onClose={onClose}
      actions={mayMute && !incident.rule_deleted && <MuteMenu incident={incident} />}
    >
      <Stack gap="lg">
        <Facts
          label="Incident"
          rows={[
            ["Detail", incident.detail],
            [
              "Rule",
              incident.rule_deleted ? (
                `${incident.rule_name} (deleted)`
              ) : (
                <Anchor key="rule" component={Link} href={`/alerts?edit=${incident.rule_id}`} size="sm">
                  {incident.rule_name}
                </Anchor>
              ),
            ],
            ["Kind", alertKindTexts[incident.kind].title],
            ["Subject", <Code key="subject">{incident.subject}</Code>],
            ["Opened", formatAbsolute(incident.opened_at)],
            ["Resolved", resolvedText(incident)],
            [
              "Mute",
              incident.muted_until === null
                ? "Not muted"
                : `${mutedText(incident.muted_until)}. What is still open then is sent.`,
            ],
            ["Incident ID", <Code key="id">{incident.id}</Code>],
          ]}
        />
        <DataTable
          label="Notifications"
          columns={columns}
          rows={incident.notifications}
          rowId={({ id }) => id}
          empty={
            <EmptyState
              title="Nothing was sent"
              text={
                incident.muted
                  ? "The rule or this subject was muted while the incident was open."
                  : "The rule had no channel when this incident opened."
              }
            />
          }
        />
      </Stack>
    </Sheet>
  );
}

import type { AlertResolution } from "#contract/alert-incident.ts";
import type { AlertKind, AlertScope } from "#contract/alert-kind.ts";
import { isoTime } from "#server/platform/clock.ts";

/** What a notification is about. */
export interface ReportedIncident {
  readonly id: string;
  readonly ruleId: string;
  readonly ruleName: string;
  readonly kind: AlertKind;
  readonly scope: AlertScope;
  readonly subject: string;
  readonly title: string;
  readonly detail: string;
  readonly openedAt: Date;
  readonly resolvedAt: Date | null;
  readonly resolution: AlertResolution | null;
}

/** The body of a webhook, as Standard Webhooks recommends it. The other channels send its texts. */
export interface AlertMessage {
  readonly type: "alert.opened" | "alert.resolved" | "alert.limited" | "alert.test";
  readonly timestamp: string;
  readonly data: {
    readonly title: string;
    readonly detail: string;
    /** Address of the console's screen; null if the installation has no public address. */
    readonly url: string | null;
    readonly incident: {
      readonly id: string;
      readonly rule_id: string;
      readonly rule_name: string;
      readonly kind: AlertKind;
      readonly scope: AlertScope;
      readonly subject: string;
      readonly opened_at: string;
      readonly resolved_at: string | null;
      readonly resolution: AlertResolution | null;
    } | null;
  };
}

const screenOf = (publicUrl: string | null): string | null =>
  publicUrl === null ? null : new URL("/alerts/incidents", publicUrl).href;

export const incidentMessage = (
  event: "opened" | "resolved",
  incident: ReportedIncident,
  publicUrl: string | null,
): AlertMessage => ({
  type: `alert.${event}`,
  // Of the incident and not of the attempt, so that every attempt sends the same.
  timestamp: (event === "resolved" && incident.resolvedAt
    ? incident.resolvedAt
    : incident.openedAt
  ).toISOString(),
  data: {
    title: incident.title,
    detail: incident.detail,
    url: screenOf(publicUrl),
    incident: {
      id: incident.id,
      rule_id: incident.ruleId,
      rule_name: incident.ruleName,
      kind: incident.kind,
      scope: incident.scope,
      subject: incident.subject,
      opened_at: incident.openedAt.toISOString(),
      resolved_at: event === "resolved" ? (incident.resolvedAt?.toISOString() ?? null) : null,
      resolution: event === "resolved" ? incident.resolution : null,
    },
  },
});

export const testMessage = (nowMs: number, publicUrl: string | null): AlertMessage => ({
  type: "alert.test",
  timestamp: isoTime(nowMs),
  data: {
    title: "This is a test of an alert channel",
    detail: "Nothing is wrong. Notifications of alerts will arrive here.",
    url: screenOf(publicUrl),
    incident: null,
  },
});

/** The one message of an hour that says that further alerts are not sent. */
export const limitMessage = (
  { from, until }: { readonly from: Date; readonly until: Date },
  max: number,
  publicUrl: string | null,
): AlertMessage => ({
  type: "alert.limited",
  timestamp: from.toISOString(),
  data: {
    title: `More than ${max} alerts in an hour`,
    detail:
      `This channel gets no further alerts until ${until.toISOString()}, only that those it got are resolved. ` +
      "The list of incidents has all of them.",
    url: screenOf(publicUrl),
    incident: null,
  },
});

const reasons: Record<AlertResolution, string> = {
  ended: "the condition has ended",
  rule_disabled: "the rule was disabled",
  rule_deleted: "the rule was deleted",
};

const prefixes: Record<AlertMessage["type"], string> = {
  "alert.opened": "Alert",
  "alert.resolved": "Resolved",
  "alert.limited": "Limit",
  "alert.test": "Test",
};

/** `Alert: the credit is low`, as the first line and the subject of a mail. */
export const headlineOf = ({ type, data }: AlertMessage): string => `${prefixes[type]}: ${data.title}`;

/** The lines below the headline. */
export function linesOf({ data: { detail, incident, url } }: AlertMessage): string[] {
  const times = incident && [
    `Rule: ${incident.rule_name}`,
    `Opened: ${incident.opened_at}`,
    ...(incident.resolved_at === null ? [] : [`Resolved: ${incident.resolved_at}`]),
    ...(incident.resolution === null ? [] : [`Reason: ${reasons[incident.resolution]}`]),
  ];
  return [detail, ...(times ?? []), ...(url === null ? [] : [url])];
}

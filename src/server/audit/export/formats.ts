import type { AuditLogEntry } from "#contract/audit.ts";

/** A row of an audit log as receivers get it. Organisation and position identify it, also if it comes twice. */
export interface ExportedEntry extends AuditLogEntry {
  readonly organisation_id: string;
  /** The receiver takes no request with its values `before` and `after`. Left out if they are there. */
  readonly shortened?: true;
}

/** One entry per line, as JSON. */
export const jsonLines = (entries: readonly ExportedEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");

const text = (key: string, value: string) => ({ key, value: { stringValue: value } });

/** Attributes of a log record: what is null is left out. */
const attributesOf = ({ position, before, after, shortened, ...entry }: ExportedEntry) => [
  ...(shortened ? [{ key: "portolan.audit.shortened", value: { boolValue: true } }] : []),
  ...Object.entries(entry).flatMap(([key, value]) =>
    typeof value === "string" && value !== "" ? [text(`portolan.audit.${key}`, value)] : [],
  ),
  { key: "portolan.audit.position", value: { intValue: String(position) } },
  ...Object.entries({ before, after }).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [text(`portolan.audit.${key}`, JSON.stringify(value))],
  ),
];

/** OTLP logs as JSON (opentelemetry-proto, `ExportLogsServiceRequest`). */
export const otlpLogs = (entries: readonly ExportedEntry[], version: string): string =>
  JSON.stringify({
    resourceLogs: [
      {
        resource: { attributes: [text("service.name", "portolan"), text("service.version", version)] },
        scopeLogs: [
          {
            scope: { name: "portolan.audit" },
            logRecords: entries.map((entry) => ({
              timeUnixNano: `${Date.parse(entry.occurred_at)}000000`,
              severityNumber: 9,
              severityText: "INFO",
              eventName: entry.action,
              body: { stringValue: `${entry.action} ${entry.subject_type} ${entry.subject_id}` },
              attributes: attributesOf(entry),
            })),
          },
        ],
      },
    ],
  });

/** Facility 13 (log audit), severity 6 (informational). */
const priority = 13 * 8 + 6;
const messageIdCharsMax = 32;

/** Syslog messages (RFC 5424), each with its length in bytes before it (RFC 6587 3.4.1). The text is JSON. */
export const syslogFrames = (entries: readonly ExportedEntry[], host: string): string =>
  entries
    .map((entry) => {
      const messageId = entry.action.slice(0, messageIdCharsMax);
      const header = `<${priority}>1 ${entry.occurred_at} ${host} portolan - ${messageId} -`;
      const message = `${header} ${JSON.stringify(entry)}`;
      return `${Buffer.byteLength(message)} ${message}`;
    })
    .join("");

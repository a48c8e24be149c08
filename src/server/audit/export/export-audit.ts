import { hostname } from "node:os";
import type { audit_entry } from "#generated/prisma/client.ts";
import type { Database } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { type Outbound, OutboundError } from "#server/platform/outbound.ts";
import { sendSyslog } from "#server/platform/syslog.ts";
import { version } from "#server/platform/version.ts";
import { type ExportedEntry, jsonLines, otlpLogs, syslogFrames } from "./formats.ts";
import type { AuditTarget } from "./target.ts";

const { rowsTogether, timeoutMs, answerBytesMax } = limits.auditExport;

export interface AuditExport {
  /** Null if nothing is exported. */
  readonly target: AuditTarget | null;
  /** Sent as `authorization: Bearer` over http; null without one. */
  readonly token: string | null;
  readonly outbound: Outbound;
}

interface ExportDeps {
  readonly database: Database;
  readonly auditExport: AuditExport;
  readonly log: Log;
}

/** The receiver takes no requests of this size. */
const tooLarge = 413;

/** Why a receiver does not have the rows. */
class NotTaken extends Error {
  override readonly name = "NotTaken";
  /** The status of the answer, if there was one. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

const toExported = ({ id: _, signature: __, org_id, occurred_at, ...row }: audit_entry): ExportedEntry => ({
  organisation_id: org_id,
  ...row,
  occurred_at: occurred_at.toISOString(),
});

async function post(
  { outbound, token }: AuditExport,
  url: URL,
  { type, body }: { readonly type: string; readonly body: string },
): Promise<void> {
  const response = await outbound.send({
    url,
    method: "POST",
    headers: { "content-type": type, ...(token !== null && { authorization: `Bearer ${token}` }) },
    body,
    firstByteTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
    deadlineMs: clock.monotonicMs() + timeoutMs,
  });
  await response.bytes(answerBytesMax);
  if (response.status < 200 || response.status > 299) {
    const { status } = response;
    throw new NotTaken(`HTTP status ${status}`, status);
  }
}

/** Resolves once the receiver has the rows. Throws `NotTaken` or `OutboundError`. */
async function send(auditExport: AuditExport, target: AuditTarget, entries: readonly ExportedEntry[]) {
  if (target.kind === "syslog") {
    const frames = syslogFrames(entries, hostname());
    return sendSyslog({ ...target, timeoutMs }, frames).catch((error: unknown) => {
      throw new NotTaken(error instanceof Error ? error.message : String(error));
    });
  }
  if (target.kind === "otlp")
    return post(auditExport, target.url, { type: "application/json", body: otlpLogs(entries, version) });
  return post(auditExport, target.url, { type: "application/x-ndjson", body: jsonLines(entries) });
}

/** A row without its values, which can be long. Its hash still covers them. */
const shortened = (entry: ExportedEntry): ExportedEntry => ({
  ...entry,
  ...{ before: null, after: null, shortened: true },
});

/**
 * Sends rows in as many requests as the receiver needs: those that are too large for it are divided, and a single row is
 * sent without its values.
 */
async function sendDivided(
  auditExport: AuditExport,
  target: AuditTarget,
  entries: readonly ExportedEntry[],
): Promise<void> {
  try {
    return await send(auditExport, target, entries);
  } catch (error) {
    const [first] = entries;
    if (!(error instanceof NotTaken && error.status === tooLarge) || !first || first.shortened) throw error;
    if (entries.length === 1) return sendDivided(auditExport, target, [shortened(first)]);
    const middle = Math.ceil(entries.length / 2);
    await sendDivided(auditExport, target, entries.slice(0, middle));
    await sendDivided(auditExport, target, entries.slice(middle));
  }
}

/** The organisations whose audit log has rows that were not sent, and the last one that was. */
const selectBehind = `
  select head.org_id, coalesce(sent.position, 0) as position from audit_head as head
  left join audit_export as sent on sent.org_id = head.org_id
  where head.position > coalesce(sent.position, 0) order by head.org_id`;

/** Two processes may send the same rows, but the place never moves back. */
const savePlace = `
  insert into audit_export (org_id, position) values ($1::uuid, $2)
  on conflict (org_id) do update set position = greatest(audit_export.position, excluded.position)`;

interface Behind {
  readonly org_id: string;
  readonly position: number;
}

async function exportOne(
  { database, auditExport }: ExportDeps,
  target: AuditTarget,
  { org_id, position: from }: Behind,
  signal?: AbortSignal,
): Promise<void> {
  for (let position = from; !signal?.aborted; ) {
    const rows = await database.prisma.audit_entry.findMany({
      where: { org_id, position: { gt: position } },
      orderBy: { position: "asc" },
      take: rowsTogether,
    });
    const last = rows.at(-1);
    if (!last) return;
    await sendDivided(auditExport, target, rows.map(toExported));
    position = last.position;
    await database.statement(savePlace, [org_id, position]);
  }
}

/**
 * Sends new rows of all audit logs to the receiver of the settings: those of an organisation in their order, each at
 * least once. If the receiver does not take them, that is logged, and the next run continues there.
 */
export async function exportAudit(deps: ExportDeps, signal?: AbortSignal): Promise<void> {
  const { database, auditExport, log } = deps;
  if (!auditExport.target) return;
  try {
    for (const behind of await database.statement<Behind & Record<string, unknown>>(selectBehind, []))
      await exportOne(deps, auditExport.target, behind, signal);
  } catch (error) {
    if (!(error instanceof OutboundError || error instanceof NotTaken)) throw error;
    log.warn(
      { event: "audit_export", reason: error.message },
      `The receiver of AUDIT_EXPORT_URL did not take the audit log: ${error.message}`,
    );
  }
}

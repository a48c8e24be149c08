import { z } from "zod";
import { AlertKind, AlertScope, settingsSchemaOf } from "#contract/alert-kind.ts";
import type { AlertRule } from "#contract/alert-rule.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "#server/db/index.ts";
import { validationError } from "#server/platform/errors.ts";
import { openIncidents } from "./open-incidents.ts";

export const ruleColumns = {
  id: true,
  org_id: true,
  name: true,
  kind: true,
  scope: true,
  settings: true,
  enabled: true,
  muted_until: true,
  created_at: true,
  updated_at: true,
  channels: { select: { channel_id: true }, orderBy: { channel_id: "asc" } },
} as const satisfies Prisma.alert_ruleSelect;
export type RuleRow = Prisma.alert_ruleGetPayload<{ select: typeof ruleColumns }>;

const Settings = z.record(z.string(), z.json());

/** The settings of a rule, complete: a setting that was added to its kind later has its default. */
export function settingsOf({ kind, settings }: Pick<RuleRow, "kind" | "settings">) {
  const { data = settings } = settingsSchemaOf(AlertKind.parse(kind)).safeParse(settings);
  return Settings.parse(data);
}

/** Checks settings by the schema of their kind. Throws BAD_REQUEST naming `settings.<field>`. */
export function readSettings(kind: AlertKind, given: Record<string, unknown>) {
  const { data, error } = settingsSchemaOf(kind).safeParse(given);
  if (!error) return Settings.parse(data);
  const issues = error.issues.map((issue) => ({ ...issue, path: ["settings", ...issue.path] }));
  throw validationError(new z.ZodError(issues));
}

/** How many incidents of each rule are open. */
export async function countOpen(tx: Tx, ruleIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const where = { rule_id: { in: [...ruleIds] }, ...openIncidents };
  const counts = await tx.alert_incident.groupBy({ by: ["rule_id"], where, _count: true });
  return new Map(counts.map(({ rule_id, _count }) => [rule_id, _count]));
}

export const ruleToWire = (row: RuleRow, open: ReadonlyMap<string, number>): AlertRule => ({
  id: row.id,
  name: row.name,
  kind: AlertKind.parse(row.kind),
  scope: AlertScope.parse(row.scope),
  settings: settingsOf(row),
  channel_ids: row.channels.map(({ channel_id }) => channel_id),
  enabled: row.enabled,
  muted_until: row.muted_until?.toISOString() ?? null,
  open_incidents: open.get(row.id) ?? 0,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** What the audit log records of a rule. */
export function recordedRule(row: RuleRow) {
  const { open_incidents: _, ...recorded } = ruleToWire(row, new Map());
  return recorded;
}

import { z } from "zod";
import { AlertKind, AlertScope, settingsSchemaOf } from "#contract/alert-kind.ts";
import type { AlertRule } from "#contract/alert-rule.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import { readColumns, readRow, type Tx } from "#server/db/index.ts";
import { AppError, validationError } from "#server/platform/errors.ts";
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

type Stored = Pick<RuleRow, "kind" | "scope" | "settings">;

/** A rule that cannot be read keeps its settings as far as they are an object, and has a problem. */
export function storedRule(row: Stored) {
  const { problem, ...stored } = readColumns(row, {
    kind: [AlertKind, "error_rate"],
    scope: [AlertScope, "organisation"],
    settings: [Settings, {}],
  });
  if (problem !== null) return { ...stored, problem };
  // A setting that was added to its kind later has its default.
  const complete = readRow(() => Settings.parse(settingsSchemaOf(stored.kind).parse(stored.settings)));
  const wrong = complete.problem === null ? null : `settings.${complete.problem}`;
  return { ...stored, settings: complete.value ?? stored.settings, problem: wrong };
}

/** The stored rule with other settings. Throws CONFLICT if it is of a kind that this version does not know. */
export function changedSettings(row: Stored, given: Record<string, unknown>) {
  const { data: kind } = AlertKind.safeParse(row.kind);
  if (!kind) throw new AppError("CONFLICT", `kind: this version does not know ${row.kind}; delete the rule`);
  return readSettings(kind, { ...storedRule(row).settings, ...given });
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
  ...storedRule(row),
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

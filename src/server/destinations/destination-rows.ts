import { z } from "zod";
import type { Destination } from "#contract/destination.ts";
import { FilterRules } from "#contract/destination-filter.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import { readColumns, readRow } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import type { SealedPlace, Sealer } from "#server/platform/sealing.ts";
import { type ConfigValues, hideSecrets } from "./config.ts";

export const destinationColumns = {
  id: true,
  name: true,
  type: true,
  org_id: true,
  workspace_id: true,
  config: true,
  secrets: true,
  privacy_mode: true,
  sampling_rate: true,
  enabled: true,
  api_key_filter: true,
  filter_rules: true,
  residency: true,
  created_at: true,
  updated_at: true,
  failures: true,
  failing_since: true,
  paused_until: true,
  stopped_reason: true,
  last_error: true,
  last_delivered_at: true,
  dropped: true,
} satisfies Prisma.destinationSelect;

export type DestinationRow = Prisma.destinationGetPayload<{ select: typeof destinationColumns }>;

const Values = z.record(z.string(), z.json());

export const secretsPlace = (row: { id: string; org_id: string }): SealedPlace => ({
  table: "destination",
  column: "secrets",
  rowId: row.id,
  orgId: row.org_id,
});

/** The complete configuration with secrets, for sending only. */
export const configOf = (sealer: Sealer, row: DestinationRow): ConfigValues => ({
  ...Values.parse(row.config),
  ...Values.parse(JSON.parse(sealer.open(row.secrets, secretsPlace(row)))),
});

export const filterRulesOf = ({ filter_rules }: Pick<DestinationRow, "filter_rules">): FilterRules | null =>
  filter_rules === null ? null : FilterRules.parse(filter_rules);

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** The parts of a row, each as far as it can be read, and why nothing is sent. */
function storedParts(sealer: Sealer, row: DestinationRow) {
  const columns = readColumns(row, { config: [Values, {}] });
  const filter = readRow(() => filterRulesOf(row));
  const secrets = readRow(() => Values.parse(JSON.parse(sealer.open(row.secrets, secretsPlace(row)))));
  const unread = [
    columns.problem,
    filter.problem && `filter_rules cannot be read: ${filter.problem}`,
    secrets.problem && "its secrets cannot be read; save the destination again",
  ].find((problem) => problem !== null);
  return {
    config: { ...columns.config, ...hideSecrets(secrets.value ?? {}) },
    filterRules: filter.value,
    stoppedReason: unread ?? row.stopped_reason,
  };
}

function stateOf(row: DestinationRow, stoppedReason: string | null): Destination["health"]["state"] {
  const { enabled, paused_until } = row;
  if (!enabled) return "disabled";
  if (stoppedReason !== null) return "stopped";
  return paused_until !== null && paused_until.getTime() > clock.nowMs() ? "paused" : "active";
}

/** The destination as the API returns it, with masked secrets. */
export function toWire(sealer: Sealer, row: DestinationRow): Destination {
  const { config, filterRules, stoppedReason } = storedParts(sealer, row);
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    config: Values.parse(config),
    org_id: row.org_id,
    workspace_id: row.workspace_id,
    privacy_mode: row.privacy_mode,
    sampling_rate: row.sampling_rate.toString(),
    enabled: row.enabled,
    api_key_filter: row.api_key_filter.length > 0 ? row.api_key_filter : null,
    filter_rules: filterRules,
    residency: row.residency,
    health: {
      state: stateOf(row, stoppedReason),
      consecutive_failures: row.failures,
      failing_since: iso(row.failing_since),
      paused_until: iso(row.paused_until),
      stopped_reason: stoppedReason,
      last_error: row.last_error,
      last_delivered_at: iso(row.last_delivered_at),
      dropped: Number(row.dropped),
    },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

import { Uuid } from "#contract/common.ts";
import type { Workspace } from "#contract/workspace.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Caller } from "#server/access/caller.ts";
import { workspaceOf } from "#server/access/scope.ts";
import type { Tx } from "#server/db/index.ts";
import { found } from "#server/platform/errors.ts";
import { readSpending, type Spending, spendingOnWire } from "./spending.ts";

export const columns = {
  id: true,
  name: true,
  slug: true,
  description: true,
  limit_pico_eur: true,
  limit_reset: true,
  created_at: true,
  updated_at: true,
} as const satisfies Prisma.workspaceSelect;
export type Row = Prisma.workspaceGetPayload<{ select: typeof columns }>;

/** What the audit log records of a workspace. */
export const recorded = (row: Row, spending?: Spending) => ({
  id: row.id,
  name: row.name,
  slug: row.slug ?? row.id,
  description: row.description,
  ...spendingOnWire(row, spending),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** Settings that OpenRouter's clients require and that do not exist here. */
const forClients = {
  created_by: null,
  default_guardrail_id: "",
  default_text_model: null,
  default_image_model: null,
  default_provider_sort: null,
  include_byok_in_budgets: false,
  io_logging_api_key_ids: null,
  io_logging_sampling_rate: 0,
  is_data_discount_logging_enabled: false,
  is_observability_broadcast_enabled: false,
  is_observability_io_logging_enabled: false,
} as const;

export const toWire = (row: Row, spending?: Spending): Workspace => ({
  ...recorded(row, spending),
  ...forClients,
});

export const shown = async (tx: Tx, row: Row): Promise<Workspace> =>
  toWire(row, (await readSpending(tx, [row.id])).get(row.id));

/** The workspaces a caller can see: all of the organisation, or the one its key belongs to. */
export const visible = (caller: Caller): Prisma.workspaceWhereInput => {
  const workspaceId = workspaceOf(caller);
  return { org_id: caller.orgId, ...(workspaceId !== null && { id: workspaceId }) };
};

/** The workspace of this ID or slug. Throws NOT_FOUND for one that the caller cannot see. */
export async function findWorkspace(tx: Tx, caller: Caller, ref: string): Promise<Row> {
  const where = { AND: [Uuid.safeParse(ref).success ? { id: ref } : { slug: ref }, visible(caller)] };
  return found(await tx.workspace.findFirst({ where, select: columns }), "workspace", "id");
}

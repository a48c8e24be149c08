import { limitOf, readSpending, remainingOf, type Spending } from "#server/accounts/index.ts";
import type { Tx } from "#server/db/index.ts";
import type { Pico } from "#server/platform/money.ts";
import type { KeyRow } from "./key-rows.ts";

const limitColumns = { limit_pico_eur: true, limit_reset: true, include_byok_in_limit: true } as const;

/** The limit that binds a key most, with what is left of it, in pico-EUR. */
export interface EffectiveLimit {
  readonly limit: Pico;
  readonly remaining: Pico;
}

/** What is known of a key besides its row. */
export interface KeySpending {
  readonly spending: Spending | undefined;
  /** Null when nothing limits it. */
  readonly effective: EffectiveLimit | null;
}

/** A key with nothing but its own limit, as it is before it is used. */
export function unspent(row: KeyRow): KeySpending {
  const limit = limitOf(row);
  return { spending: undefined, effective: limit === null ? null : { limit, remaining: limit } };
}

const ancestorsIn = (tx: Tx, orgId: string, ids: readonly string[]) =>
  tx.api_key.findMany({
    where: { org_id: orgId, id: { in: [...ids] } },
    select: { id: true, parent_id: true, ...limitColumns },
  });
type Ancestor = Awaited<ReturnType<typeof ancestorsIn>>[number];

/** Every key that made one of these, and those that made them, by id. */
async function ancestorsOf(
  tx: Tx,
  orgId: string,
  rows: readonly KeyRow[],
): Promise<ReadonlyMap<string, Ancestor>> {
  const known = new Map<string, Ancestor>();
  let wanted = rows.flatMap(({ parent_id: id }) => id ?? []);
  while (wanted.length > 0) {
    for (const row of await ancestorsIn(tx, orgId, wanted)) known.set(row.id, row);
    wanted = [...known.values()].flatMap(({ parent_id: id }) => (id !== null && !known.has(id) ? id : []));
  }
  return known;
}

function lineageOf(row: KeyRow, ancestors: ReadonlyMap<string, Ancestor>): Ancestor[] {
  const lineage: Ancestor[] = [];
  let at = row.parent_id === null ? undefined : ancestors.get(row.parent_id);
  while (at) {
    lineage.push(at);
    at = at.parent_id === null ? undefined : ancestors.get(at.parent_id);
  }
  return lineage;
}

/**
 * What keys have cost and may still spend: their own limit, those of the keys that made them and that of their
 * workspace all bind, so the one with the least left counts.
 */
export async function readKeySpending(
  tx: Tx,
  orgId: string,
  rows: readonly KeyRow[],
): Promise<(row: KeyRow) => KeySpending> {
  const ancestors = await ancestorsOf(tx, orgId, rows);
  const ids = new Set([
    ...rows.map(({ id }) => id),
    ...ancestors.keys(),
    ...rows.flatMap(({ workspace_id: id, workspace }) => (id !== null && workspace ? id : [])),
  ]);
  const spendings = await readSpending(tx, [...ids]);
  return (row) => {
    const { workspace_id: workspaceId, workspace } = row;
    const binding = [row, ...lineageOf(row, ancestors)].map((one) => ({ row: one, id: one.id }));
    const inWorkspace = workspaceId !== null && workspace ? [{ row: workspace, id: workspaceId }] : [];
    let effective: EffectiveLimit | null = null;
    for (const { row: one, id } of [...binding, ...inWorkspace]) {
      const limit = limitOf(one);
      const remaining = remainingOf(one, spendings.get(id));
      if (limit === null || remaining === null) continue;
      if (effective === null || remaining < effective.remaining) effective = { limit, remaining };
    }
    return { spending: spendings.get(row.id), effective };
  };
}

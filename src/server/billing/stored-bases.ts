import type pg from "pg";
import type { DecisionBasis } from "#server/db/index.ts";
import { clock, isoDay } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";

/** What is stored of a booked row. */
interface WithBasis {
  readonly org_id: string;
  readonly started_at: string;
  readonly decision_basis?: DecisionBasis | undefined;
}

/** Written in a fixed order, so that two batches cannot deadlock. */
const addBases = `
  insert into decision_basis (org_id, hash, body, seen_on)
  select org_id, hash, body, seen_on
  from json_to_recordset($1::json) as basis (org_id uuid, hash bytea, body json, seen_on date)
  order by org_id, hash
  on conflict (org_id, hash) do update set seen_on = excluded.seen_on
  where decision_basis.seen_on < excluded.seen_on`;

/** The bases of rows, each once for its organisation, with the last day on which it was used. */
function distinct(rows: readonly WithBasis[]) {
  const found = new Map<string, { row: WithBasis; basis: DecisionBasis; seenOn: string }>();
  for (const row of rows) {
    const { decision_basis: basis, org_id, started_at } = row;
    if (!basis) continue;
    const key = `${org_id} ${basis.hash}`;
    const seenOn = started_at.slice(0, 10);
    const known = found.get(key);
    if (!known || known.seenOn < seenOn) found.set(key, { row, basis, seenOn });
  }
  return [...found.values()];
}

/** Stores the bases that rows carry, in the transaction that books them. */
export async function storeBases(client: pg.ClientBase, rows: readonly WithBasis[]): Promise<void> {
  const found = distinct(rows);
  if (found.length === 0) return;
  const columns = found.map(
    ({ row, basis, seenOn }) =>
      `{"org_id":"${row.org_id}","hash":"\\\\x${basis.hash}","body":${basis.body},"seen_on":"${seenOn}"}`,
  );
  await client.query(addBases, [`[${columns.join()}]`]);
}

/**
 * Which bases of today are in the database, so that records need not contain them. A basis is written again on each
 * day on which it is used: one that was not seen since a day has no generations after it.
 */
export class StoredBases {
  #day = "";
  #count = 0;
  readonly #orgsByHash = new Map<string, Set<string>>();

  /** Whether a record must contain the basis. */
  lacks(orgId: string, hash: string): boolean {
    return this.#orgsByHash.get(hash)?.has(orgId) !== true || this.#day !== isoDay(clock.nowMs());
  }

  /** The rows were booked. */
  booked(rows: readonly WithBasis[]): void {
    const today = isoDay(clock.nowMs());
    if (this.#day !== today || this.#count >= limits.spool.knownBasesMax) {
      this.#orgsByHash.clear();
      this.#count = 0;
      this.#day = today;
    }
    for (const { row, basis, seenOn } of distinct(rows)) {
      if (seenOn !== today) continue;
      const orgs = this.#orgsByHash.get(basis.hash) ?? new Set();
      if (!orgs.has(row.org_id)) this.#count++;
      this.#orgsByHash.set(basis.hash, orgs.add(row.org_id));
    }
  }
}

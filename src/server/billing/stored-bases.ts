import type pg from "pg";
import type { DecisionBasis, StoredDocument } from "#server/db/index.ts";
import { clock, isoDay } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";

/** What is stored of a booked row. */
interface WithBasis {
  readonly org_id: string;
  readonly started_at: string;
  readonly decision_basis?: DecisionBasis | undefined;
}

/** Written in a fixed order, so that two batches cannot deadlock. */
const addTo = (table: "decision_basis" | "decision_input" | "endpoint_facts"): string => `
  insert into ${table} (org_id, hash, body, seen_on)
  select org_id, hash, body, seen_on
  from json_to_recordset($1::json) as added (org_id uuid, hash bytea, body json, seen_on date)
  order by org_id, hash
  on conflict (org_id, hash) do update set seen_on = excluded.seen_on
  where ${table}.seen_on < excluded.seen_on`;
const [addBases, addInputs] = [addTo("decision_basis"), addTo("decision_input")];
const addFacts = addTo("endpoint_facts");

interface Seen {
  readonly orgId: string;
  readonly document: StoredDocument;
  /** The last day (UTC) on which it was used. */
  readonly seenOn: string;
}

/** What rows carry, each once for its organisation. */
function distinct(
  rows: readonly WithBasis[],
  documentsOf: (basis: DecisionBasis) => readonly StoredDocument[],
): Seen[] {
  const found = new Map<string, Seen>();
  for (const { decision_basis: basis, org_id: orgId, started_at } of rows) {
    if (!basis) continue;
    const seenOn = started_at.slice(0, 10);
    for (const document of documentsOf(basis)) {
      const key = `${orgId} ${document.hash}`;
      const known = found.get(key);
      if (!known || known.seenOn < seenOn) found.set(key, { orgId, document, seenOn });
    }
  }
  return [...found.values()];
}

const basesIn = (rows: readonly WithBasis[]) => distinct(rows, (basis) => [basis]);
const inputsIn = (rows: readonly WithBasis[]) => distinct(rows, ({ inputs }) => inputs ?? []);
const factsIn = (rows: readonly WithBasis[]) => distinct(rows, ({ facts }) => facts ?? []);

async function store(client: pg.ClientBase, text: string, seen: readonly Seen[]): Promise<void> {
  if (seen.length === 0) return;
  const columns = seen.map(
    ({ orgId, document: { hash, body }, seenOn }) =>
      `{"org_id":"${orgId}","hash":"\\\\x${hash}","body":${body},"seen_on":"${seenOn}"}`,
  );
  await client.query(text, [`[${columns.join()}]`]);
}

/** Stores the bases that rows carry, and what they refer to, in the transaction that books them. */
export async function storeBases(client: pg.ClientBase, rows: readonly WithBasis[]): Promise<void> {
  await store(client, addBases, basesIn(rows));
  await store(client, addInputs, inputsIn(rows));
  await store(client, addFacts, factsIn(rows));
}

/**
 * Which bases, inputs and facts of today are in the database, so that records need not contain them. They are written
 * again on each day on which they are used: what was not seen since a day has no generations after it.
 */
export class StoredBases {
  #day = "";
  #count = 0;
  readonly #orgsByHash = new Map<string, Set<string>>();

  /** Whether a record must contain the basis, or a document that it refers to. */
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
    for (const { orgId, document, seenOn } of [...basesIn(rows), ...inputsIn(rows), ...factsIn(rows)]) {
      if (seenOn !== today) continue;
      const orgs = this.#orgsByHash.get(document.hash) ?? new Set();
      if (!orgs.has(orgId)) this.#count++;
      this.#orgsByHash.set(document.hash, orgs.add(orgId));
    }
  }
}

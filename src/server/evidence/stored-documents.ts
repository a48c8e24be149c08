import type { Database, StoredDocument } from "#server/db/index.ts";

/** Tables of documents that are stored once for each organisation, under their hash. */
type Table = "decision_basis" | "decision_input" | "endpoint_facts";

/** Documents of an organisation by their hashes, in hexadecimal digits. Missing ones are left out. */
export async function readDocuments(
  { statement }: Database,
  orgId: string,
  table: Table,
  hashes: Iterable<string>,
): Promise<ReadonlyMap<string, StoredDocument>> {
  const rows = await statement<StoredDocument>(
    `select encode(hash, 'hex') as hash, body::text as body from ${table}
     where org_id = $1::uuid and hash = any(array(select decode(asked, 'hex') from unnest($2::text[]) as asked))`,
    [orgId, [...new Set(hashes)]],
  );
  return new Map(rows.map((row) => [row.hash, row]));
}

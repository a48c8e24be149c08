import { z } from "zod";
import type { Database, StoredDocument } from "#server/db/index.ts";
import type { FindDocument } from "#server/policy/index.ts";

type Table = "decision_basis" | "decision_input" | "endpoint_facts";

const findIn =
  (documents: ReadonlyMap<string, StoredDocument>): FindDocument =>
  (hash) =>
    documents.get(hash);

/** Documents of an organisation by their hashes, in hexadecimal digits. Missing ones are left out. */
async function readDocuments(
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

const Basis = z.object({ endpoints: z.array(z.string()), inputs: z.string().optional() });

/** What a document of another kind or version may refer to, without anything else of it. */
const References = z.object({
  models: z.array(z.object({ model: z.string() })).catch([]),
  rules: z.array(z.string()).catch([]),
});
const FactReferences = z.object({ endpoints: z.array(z.object({ facts: z.string() })).catch([]) });

/** Documents of the inputs of decisions (`roots`), and those that they refer to. */
export async function readInputs(
  database: Database,
  orgId: string,
  roots: Iterable<string>,
): Promise<ReadonlyMap<string, StoredDocument>> {
  const found = await readDocuments(database, orgId, "decision_input", roots);
  const referred = [...found.values()].flatMap(({ body }) => {
    const { models, rules } = References.parse(JSON.parse(body));
    return [...models.map(({ model }) => model), ...rules];
  });
  return new Map([...found, ...(await readDocuments(database, orgId, "decision_input", referred))]);
}

/** A recorded decision, with what it was made from. */
export interface RecordedDocuments {
  /** IDs of the endpoints that were eligible. The record of a request refers to their positions. */
  readonly endpoints: readonly string[];
  /** Hash of the document of what it was made from; undefined if that was not recorded. */
  readonly inputs: string | undefined;
  readonly find: { readonly input: FindDocument; readonly facts: FindDocument };
}

/** Reads a decision and all documents that it refers to; null if the decision is not stored. */
export async function readRecordedDocuments(
  database: Database,
  orgId: string,
  decisionHash: string,
): Promise<RecordedDocuments | null> {
  const read = (table: Table, hashes: Iterable<string>) => readDocuments(database, orgId, table, hashes);
  const basis = (await read("decision_basis", [decisionHash])).get(decisionHash);
  if (!basis) return null;
  const { endpoints, inputs } = Basis.parse(JSON.parse(basis.body));
  const documents = await readInputs(database, orgId, inputs === undefined ? [] : [inputs]);
  const facts = [...documents.values()].flatMap(({ body }) =>
    FactReferences.parse(JSON.parse(body)).endpoints.map((endpoint) => endpoint.facts),
  );
  const find = { input: findIn(documents), facts: findIn(await read("endpoint_facts", facts)) };
  return { endpoints, inputs, find };
}

import { z } from "zod";
import type { Database, StoredDocument } from "#server/db/index.ts";
import type { FindDocument } from "#server/policy/index.ts";
import { readDocuments } from "../stored-documents.ts";

const findIn =
  (documents: ReadonlyMap<string, StoredDocument>): FindDocument =>
  (hash) =>
    documents.get(hash);

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
  const bases = await readDocuments(database, orgId, "decision_basis", [decisionHash]);
  const basis = bases.get(decisionHash);
  if (!basis) return null;
  const { endpoints, inputs } = Basis.parse(JSON.parse(basis.body));
  const documents = await readInputs(database, orgId, inputs === undefined ? [] : [inputs]);
  const referred = [...documents.values()].flatMap(({ body }) =>
    FactReferences.parse(JSON.parse(body)).endpoints.map((endpoint) => endpoint.facts),
  );
  const facts = await readDocuments(database, orgId, "endpoint_facts", referred);
  return { endpoints, inputs, find: { input: findIn(documents), facts: findIn(facts) } };
}

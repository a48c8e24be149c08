import { z } from "zod";
import type { Database } from "#server/db/index.ts";
import { readDocuments } from "../stored-documents.ts";

const Basis = z.object({
  inputs: z.string().optional(),
  models: z.array(
    z.object({
      model: z.string(),
      rules: z.array(z.string()),
      preferences: z.record(z.string(), z.unknown()).default({}),
    }),
  ),
});

/** What decided where some requests may go. */
export interface StoredDecision {
  readonly hash: string;
  /** Canonical JSON (RFC 8785), whose SHA-256 is the hash. */
  readonly text: string;
  /** Hash of the document of its inputs; undefined if they are not recorded. */
  readonly inputs: string | undefined;
  /** IDs of the rules that applied. */
  readonly rules: readonly string[];
  /** The preferences of these rules and of the request together, of each model. */
  readonly preferences: readonly Readonly<Record<string, unknown>>[];
}

/** The decisions with these hashes, in hexadecimal digits. */
export async function readDecisions(
  database: Database,
  orgId: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, StoredDecision>> {
  const documents = await readDocuments(database, orgId, "decision_basis", hashes);
  return new Map(
    [...documents.values()].map(({ hash, body: text }) => {
      const { inputs, models } = Basis.parse(JSON.parse(text));
      const rules = [...new Set(models.flatMap((model) => model.rules))].sort();
      return [hash, { hash, text, inputs, rules, preferences: models.map(({ preferences }) => preferences) }];
    }),
  );
}

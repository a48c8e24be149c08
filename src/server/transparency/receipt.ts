import type { GenerationReceipt } from "#contract/transparency-log.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { ownRows } from "#server/access/scope.ts";
import { generationRowOf, isPersonal, personalText, receiptTextsOf } from "#server/db/index.ts";
import { notFound } from "#server/platform/errors.ts";
import { findGenerationEntry } from "./index-of.ts";
import { type LogDeps, proveInclusion } from "./read-log.ts";

type Reader = Authorized<"activity:read">;

/** The exact text of a decision, which its hash covers. */
async function decisionText(
  { database }: LogDeps,
  orgId: string,
  hash: Uint8Array | null,
): Promise<string | null> {
  if (hash === null) return null;
  const [row] = await database.statement<{ body: string }>(
    "select body::text as body from decision_basis where org_id = $1::uuid and hash = $2",
    [orgId, Buffer.from(hash)],
  );
  return row?.body ?? null;
}

/**
 * The receipt of one of the caller's generations, with the proof that it is in the transparency log. Throws NOT_FOUND if
 * there is no such generation, or if it is not in the log yet.
 */
export async function readReceipt(deps: LogDeps, caller: Reader, id: string): Promise<GenerationReceipt> {
  const stored = await deps.database.prisma.generation.findFirst({ where: { id, ...ownRows(caller) } });
  if (!stored) throw notFound("generation", "id");
  const found = await findGenerationEntry(deps.database, caller.orgId, id);
  const proven = await proveInclusion(deps, caller, found, `The request ${id}`);
  const row = generationRowOf(stored);
  const { record, personal } = receiptTextsOf(row);
  const decision = await decisionText(deps, caller.orgId, stored.decision_hash);
  return {
    type: "generation",
    record,
    personal_hash: personal,
    personal:
      stored.personal_salt && isPersonal(row)
        ? { salt: Buffer.from(stored.personal_salt).toString("hex"), text: personalText(row) }
        : null,
    decision,
    ...proven,
  };
}

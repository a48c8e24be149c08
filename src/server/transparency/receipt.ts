import { z } from "zod";
import type { GenerationReceipt } from "#contract/transparency-log.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { ownRows } from "#server/access/scope.ts";
import { attemptsOf, generationRowOf, isPersonal, personalText, receiptTextsOf } from "#server/db/index.ts";
import { notFound } from "#server/platform/errors.ts";
import { indexOfGeneration } from "./index-of.ts";
import { type LogDeps, proveInclusion } from "./read-log.ts";
import { receiptToday } from "./receipt-today.ts";

export interface ReceiptDeps extends LogDeps {
  /** After how many days records of requests are deleted; left out: never. */
  readonly recordRetentionDays?: number | undefined;
}

type Reader = Authorized<"activity:read">;

/** The exact text of a document, which its hash covers; null if there is none. */
async function textOf(
  { database }: LogDeps,
  table: "decision_basis" | "endpoint_facts",
  { orgId, hash }: { orgId: string; hash: Uint8Array },
): Promise<string | null> {
  const [row] = await database.statement<{ body: string }>(
    `select body::text as body from ${table} where org_id = $1::uuid and hash = $2`,
    [orgId, Buffer.from(hash)],
  );
  return row?.body ?? null;
}

const Basis = z.object({ endpoints: z.array(z.string()), facts: z.array(z.string()).optional() });

/** The facts of endpoints that received a request, as its decision refers to them. */
async function factsOf(
  deps: LogDeps,
  orgId: string,
  decision: string,
  received: ReadonlySet<string>,
): Promise<string[]> {
  const { endpoints, facts = [] } = Basis.parse(JSON.parse(decision));
  const hashes = facts.filter((_, at) => received.has(endpoints[at] ?? ""));
  const texts = hashes.map((hash) =>
    textOf(deps, "endpoint_facts", { orgId, hash: Buffer.from(hash, "hex") }),
  );
  return (await Promise.all(texts)).filter((text) => text !== null);
}

/**
 * The receipt of one of the caller's generations, with the proof that it is in the transparency log. Throws NOT_FOUND if
 * there is no such generation, or if it is not in the log yet.
 */
export async function readReceipt(deps: ReceiptDeps, caller: Reader, id: string): Promise<GenerationReceipt> {
  const stored = await deps.database.prisma.generation.findFirst({ where: { id, ...ownRows(caller) } });
  if (!stored) throw notFound("generation", "id");
  const index = await indexOfGeneration(deps.database, caller.orgId, id);
  const proven = await proveInclusion(deps, caller, index, `The request ${id}`);
  const row = generationRowOf(stored);
  const { record, personal } = receiptTextsOf(row);
  const { orgId } = caller;
  const { decision_hash: hash } = stored;
  const decision = hash && (await textOf(deps, "decision_basis", { orgId, hash }));
  const received = new Set(attemptsOf(row).map(({ endpoint }) => endpoint));
  return {
    type: "generation",
    record,
    personal_hash: personal,
    personal:
      stored.personal_salt && isPersonal(row)
        ? { salt: Buffer.from(stored.personal_salt).toString("hex"), text: personalText(row) }
        : null,
    decision,
    facts: decision === null ? [] : await factsOf(deps, orgId, decision, received),
    ...proven,
    today: await receiptToday(deps.database, { row, recordRetentionDays: deps.recordRetentionDays }),
  };
}

import type { generation } from "#generated/prisma/client.ts";
import type { Database } from "./client.ts";
import type { GenerationRow } from "./generation-row.ts";
import { personalHashOf } from "./receipt-text.ts";

/** Bytes as PostgreSQL writes them. */
const bytea = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString("hex")}`;

/** A stored generation as the row that was booked: with the same values, and without what is no column. */
export function generationRowOf({ decision, cost_details, ...stored }: generation): GenerationRow {
  // JSON columns and enumerations were written from a `GenerationRow`.
  const json = stored as Pick<GenerationRow, "attempts" | "parameters" | "ranked" | "status"> & {
    readonly tags: GenerationRow["tags"] | null;
    readonly destinations: GenerationRow["destinations"] | null;
  };
  return {
    ...stored,
    status: json.status,
    attempts: json.attempts,
    parameters: json.parameters,
    ranked: json.ranked,
    tags: json.tags ?? undefined,
    destinations: json.destinations ?? undefined,
    decision_hash: stored.decision_hash && bytea(stored.decision_hash),
    personal_salt: stored.personal_salt ? bytea(stored.personal_salt) : undefined,
    personal_hash: stored.personal_hash ? bytea(stored.personal_hash) : undefined,
    request_digest: stored.request_digest ? bytea(stored.request_digest) : undefined,
    answer_digest: stored.answer_digest ? bytea(stored.answer_digest) : undefined,
    started_at: stored.started_at.toISOString(),
    fx_usd_per_eur: stored.fx_usd_per_eur.toFixed(),
    cost_pico_usd: stored.cost_pico_usd.toFixed(0),
    cost_pico_eur: stored.cost_pico_eur.toFixed(0),
    upstream_pico_usd: stored.upstream_pico_usd.toFixed(0),
  };
}

const erase = `
  update generation
  set app_title = null, session_id = null, tags = null, user_reference = null, personal_salt = null,
    personal_hash = coalesce(erased.hash, personal_hash)
  from unnest($2::uuid[], $3::bytea[]) as erased (id, hash)
  where org_id = $1::uuid and generation.id = erased.id`;

/**
 * Erases what generations of an organisation say of persons. Only a hash remains that nobody can guess, with which their
 * receipts are valid.
 */
export async function erasePersonal(
  { prisma, statement }: Database,
  org_id: string,
  ids: readonly string[],
): Promise<void> {
  const rows = await prisma.generation.findMany({ where: { org_id, id: { in: [...ids] } } });
  const hashes = rows.map((row) => {
    const hash = personalHashOf(generationRowOf(row));
    return hash === "" ? null : `\\x${hash}`;
  });
  await statement(erase, [org_id, rows.map(({ id }) => id), hashes]);
}

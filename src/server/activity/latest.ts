import type { Overview } from "#contract/overview.ts";
import type { Database } from "#server/db/client.ts";
import { decimalFromPico } from "#server/platform/money.ts";

/** The newest generations of an organisation, newest first. */
export async function latestGenerations(
  database: Database,
  orgId: string,
  count: number,
): Promise<Overview["latest"]> {
  const rows = await database.prisma.generation.findMany({
    where: { org_id: orgId },
    orderBy: [{ started_at: "desc" }, { id: "asc" }],
    take: count,
    select: {
      id: true,
      started_at: true,
      model: true,
      model_requested: true,
      provider: true,
      status: true,
      error_code: true,
      prompt_tokens: true,
      completion_tokens: true,
      cost_pico_eur: true,
      duration_ms: true,
    },
  });
  return rows.map((row) => ({
    id: row.id,
    started_at: row.started_at.toISOString(),
    model: row.model ?? row.model_requested,
    provider: row.provider,
    status: row.status,
    error_code: row.error_code,
    tokens_in: row.prompt_tokens,
    tokens_out: row.completion_tokens,
    cost_eur: decimalFromPico(BigInt(row.cost_pico_eur.toFixed(0))),
    duration_ms: row.duration_ms,
  }));
}

import type { Overview, Top } from "#contract/overview.ts";
import type { Caller } from "#server/access/caller.ts";
import { isAdministrator } from "#server/accounts/index.ts";
import type { Database } from "#server/db/client.ts";
import { decimalFromPico } from "#server/platform/money.ts";
import type { Span } from "./span-sums.ts";
import { type CompleteFrom, usagePieces } from "./sums/usage-pieces.ts";
import { usageSource } from "./sums/usage-source.ts";

const shownMax = 5;

interface TopRow {
  model: string | null;
  provider: string | null;
  api_key_id: string | null;
  requests: number;
  failed: number;
  pico_eur: string;
}

const toTop = (id: string, { requests, failed, pico_eur }: TopRow): Top => ({
  id,
  requests,
  failed,
  cost_eur: decimalFromPico(BigInt(pico_eur)),
});

const nameOf = ({ model, provider, api_key_id }: TopRow): string => model ?? provider ?? api_key_id ?? "";

/** Highest cost first, then most requests, then by name. */
function byCost(a: TopRow, b: TopRow): number {
  const difference = BigInt(b.pico_eur) - BigInt(a.pico_eur);
  if (difference !== 0n) return difference > 0n ? 1 : -1;
  return b.requests - a.requests || nameOf(a).localeCompare(nameOf(b));
}

/** Returns the models, providers and keys with the highest cost of an organisation in a time span. */
export async function topOf(
  { prisma }: Database,
  caller: Caller,
  { fromMs, toMs }: Span,
  complete: CompleteFrom,
): Promise<Overview["top"]> {
  const pieces = usagePieces({ fromMs, toMs, stepMs: Number.POSITIVE_INFINITY }, complete);
  const rows = await prisma.$queryRaw<TopRow[]>`
    select model, provider, api_key_id, sum(requests)::int as requests, sum(failed)::int as failed,
      sum(cost_pico_eur)::text as pico_eur
    from ${usageSource({ orgId: caller.orgId, workspaceId: null }, pieces)}
    group by grouping sets ((model), (provider), (api_key_id))`;
  const first = (name: "model" | "provider" | "api_key_id"): Top[] =>
    rows
      .filter((row) => row[name] !== null)
      .toSorted(byCost)
      .slice(0, shownMax)
      .map((row) => toTop(row[name] ?? "", row));
  const keys = first("api_key_id");
  const own = (await isAdministrator(prisma, caller)) ? {} : { user_id: caller.userId };
  const named = await prisma.api_key.findMany({
    where: { id: { in: keys.map(({ id }) => id) }, org_id: caller.orgId, ...own },
    select: { id: true, name: true },
  });
  const names = new Map(named.map(({ id, name }) => [id, name]));
  return {
    models: first("model"),
    providers: first("provider"),
    keys: keys.map((key) => ({ ...key, name: names.get(key.id) ?? null })),
  };
}

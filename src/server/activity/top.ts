import type { Overview, Top } from "#contract/overview.ts";
import type { Caller } from "#server/access/caller.ts";
import { isAdministrator } from "#server/accounts/index.ts";
import type { Database } from "#server/db/client.ts";
import { isoTime } from "#server/platform/clock.ts";
import { decimalFromPico } from "#server/platform/money.ts";
import type { Span } from "./sums.ts";

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

/** Highest cost first, then most requests. */
function byCost(a: TopRow, b: TopRow): number {
  const difference = BigInt(b.pico_eur) - BigInt(a.pico_eur);
  return difference === 0n ? b.requests - a.requests : difference > 0n ? 1 : -1;
}

/** Returns the models, providers and keys with the highest cost of an organisation in a time span. */
export async function topOf({ prisma }: Database, caller: Caller, span: Span): Promise<Overview["top"]> {
  const rows = await prisma.$queryRaw<TopRow[]>`
    select model, provider, api_key_id, count(*)::int as requests,
           count(*) filter (where status = 'failed')::int as failed, sum(cost_pico_eur)::text as pico_eur
    from (select coalesce(model, model_requested) as model, provider, api_key_id, status, cost_pico_eur
          from generation
          where org_id = ${caller.orgId}::uuid
            and started_at >= ${isoTime(span.fromMs)}::timestamptz
            and started_at < ${isoTime(span.toMs)}::timestamptz) as seen
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

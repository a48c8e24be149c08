import type { z } from "zod";
import { activityRanges } from "#contract/activity.ts";
import { exclusionReasons } from "#contract/exclusion-words.ts";
import type { OverviewQuery } from "#contract/overview.ts";
import { isRuleId, providerOfEndpoint } from "#contract/recorded-names.ts";
import type { RequestFlows } from "#contract/request-flows.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { isAdministrator } from "#server/accounts/index.ts";
import type { Database } from "#server/db/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { type RecordedBasis, readBases } from "./recorded-decision.ts";

type Named = RequestFlows["flows"][number]["key"];
type Flow = RequestFlows["flows"][number];
type Excluded = RequestFlows["excluded"][number];

interface FlowRow {
  readonly key: string;
  readonly hash: string | null;
  readonly country: string | null;
  readonly provider: string | null;
  readonly completed: number;
  readonly failed: number;
  readonly stopped: number;
  readonly first_at: string;
}

const statement = `
  select api_key_id::text as key, encode(decision_hash, 'hex') as hash, region as country, provider,
    (count(*) filter (where status = 'completed'))::int as completed,
    (count(*) filter (where status = 'failed'))::int as failed,
    (count(*) filter (where status not in ('completed', 'failed')))::int as stopped,
    to_char(min(started_at) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as first_at
  from (
    select api_key_id, decision_hash, region, provider, status, started_at from generation
    where org_id = $1::uuid and started_at >= $2::timestamptz order by started_at desc limit $3
  ) as newest
  group by api_key_id, decision_hash, region, provider`;

/** Codes of reasons that a person decided; the others are about what endpoints can do. */
const policyReasons = new Set<string>(
  Object.values(exclusionReasons)
    .filter(({ kind }) => kind === "rule")
    .map(({ code }) => code),
);

interface Names {
  readonly keyOf: (id: string) => Named;
  readonly ruleOf: (id: string) => Named;
  readonly countryOf: (provider: string) => string | null;
}

const countOf = ({ completed, failed, stopped }: FlowRow): number => completed + failed + stopped;

function flowsOf(rows: readonly FlowRow[], bases: ReadonlyMap<string, RecordedBasis>, names: Names): Flow[] {
  const flows = new Map<string, Flow>();
  for (const { key, hash, country, provider, completed, failed, stopped } of rows) {
    const basis = hash === null ? undefined : bases.get(hash);
    const rules = basis ? [...new Set(basis.models.flatMap((model) => model.rules))] : null;
    const id = JSON.stringify([key, rules, country, provider]);
    const same = flows.get(id);
    flows.set(id, {
      ...{ key: names.keyOf(key), rules: rules?.map(names.ruleOf) ?? null, country, provider },
      completed: completed + (same?.completed ?? 0),
      failed: failed + (same?.failed ?? 0),
      stopped: stopped + (same?.stopped ?? 0),
    });
  }
  const total = (flow: Flow) => flow.completed + flow.failed + flow.stopped;
  return [...flows.values()].sort((a, b) => total(b) - total(a)).slice(0, limits.requestFlows.flowsMax);
}

/** Providers that were excluded by a decision of a person, once for each request. */
function excludedOf(
  rows: readonly FlowRow[],
  bases: ReadonlyMap<string, RecordedBasis>,
  names: Names,
): Excluded[] {
  const requestsOf = Map.groupBy(rows, ({ hash }) => hash);
  const found = new Map<string, Excluded>();
  for (const [hash, own] of requestsOf) {
    const basis = hash === null ? undefined : bases.get(hash);
    if (!basis) continue;
    const admitted = new Set(basis.endpoints.map(providerOfEndpoint));
    const seen = new Set<string>();
    for (const { endpoint, excluded_by: reason, set_by } of basis.models.flatMap((model) => model.excluded)) {
      const provider = providerOfEndpoint(endpoint);
      const id = JSON.stringify([provider, reason, set_by]);
      // A provider with another endpoint that was admitted is not excluded.
      if (seen.has(id) || admitted.has(provider) || !policyReasons.has(reason)) continue;
      seen.add(id);
      const requests = own.reduce((sum, row) => sum + countOf(row), 0) + (found.get(id)?.requests ?? 0);
      const rule = isRuleId(set_by) ? names.ruleOf(set_by) : null;
      found.set(id, {
        provider,
        country: names.countryOf(provider),
        reason,
        rule,
        scope: rule ? null : set_by,
        requests,
      });
    }
  }
  return [...found.values()]
    .sort((a, b) => b.requests - a.requests)
    .slice(0, limits.requestFlows.excludedMax);
}

/** The decisions that decided most requests. */
function frequentHashes(rows: readonly FlowRow[]): string[] {
  const counts = new Map<string, number>();
  for (const row of rows)
    if (row.hash !== null) counts.set(row.hash, (counts.get(row.hash) ?? 0) + countOf(row));
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, limits.requestFlows.decisionsMax)
    .map(([hash]) => hash);
}

interface FlowDeps {
  readonly database: Database;
  /** Names of rules by id, of those the caller may see. */
  readonly ruleNames: (ids: readonly string[]) => Promise<Record<string, string>>;
  readonly countryOf: Names["countryOf"];
}

/**
 * Where the requests of a period went, and which providers were excluded. Reads the newest requests only, at most
 * `scannedMax`; `counted_from` then says since when.
 */
export async function requestFlows(
  { database, ruleNames, countryOf }: FlowDeps,
  caller: Authorized<"activity:read", "organisation">,
  { range }: z.infer<typeof OverviewQuery>,
  scannedMax: number = limits.lists.scannedMax,
): Promise<RequestFlows> {
  const from = isoTime(clock.nowMs() - activityRanges[range].ms);
  const rows = await database.statement<FlowRow>(statement, [caller.orgId, from, scannedMax]);
  const bases = await readBases(database, caller.orgId, frequentHashes(rows));
  const ids = [...bases.values()].flatMap(({ models }) =>
    models.flatMap(({ rules, excluded }) => [...rules, ...excluded.map((one) => one.set_by)]),
  );
  const rules = await ruleNames([...new Set(ids.filter(isRuleId))]);
  const own = (await isAdministrator(database.prisma, caller)) ? {} : { user_id: caller.userId };
  const keys = await database.prisma.api_key.findMany({
    where: { id: { in: [...new Set(rows.map(({ key }) => key))] }, org_id: caller.orgId, ...own },
    select: { id: true, name: true },
  });
  const keyNames = new Map(keys.map(({ id, name }) => [id, name]));
  const names: Names = {
    keyOf: (id) => ({ id, name: keyNames.get(id) ?? null }),
    ruleOf: (id) => ({ id, name: rules[id] ?? null }),
    countryOf,
  };
  const count = rows.reduce((sum, row) => sum + countOf(row), 0);
  const first = rows.map((row) => row.first_at).toSorted()[0] ?? null;
  return {
    from,
    counted_from: count < scannedMax ? null : first,
    flows: flowsOf(rows, bases, names),
    excluded: excludedOf(rows, bases, names),
  };
}

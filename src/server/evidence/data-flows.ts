import type { DataFlowFilter, DataFlowReport } from "#contract/data-flows.ts";
import { Prisma } from "#generated/prisma/client.ts";
import type { Database } from "#server/db/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { handedTraces } from "./handed-traces.ts";
import { type Auditor, type SelectionDeps, selectionOf } from "./selection.ts";
import { factsOfDecisions } from "./stored-facts.ts";
import { triedAlike, triedOf } from "./tried.ts";

const { deliveredRetentionMs } = limits.destinations;
const { rowsMax } = limits.lists;
const hourMs = 3_600_000;

interface TriedRow {
  readonly decision: string;
  readonly provider: string;
  readonly endpoint: string;
  readonly requests: number;
  readonly answered: number;
  readonly unreached: number;
  readonly first_at: string;
  readonly last_at: string;
}

interface NamedRow {
  readonly id: string;
  readonly requests: number;
}

interface DestinationRow extends Omit<DataFlowReport["destinations"][number], "first_at" | "last_at"> {
  readonly first_at: string;
  readonly last_at: string;
}

/** What one statement counts, so that all figures are of the same requests. */
interface Counts {
  readonly requests: number;
  readonly first_at: Date | null;
  readonly last_at: Date | null;
  readonly unsent: number;
  readonly unrecorded: number;
  readonly tried: readonly TriedRow[];
  readonly api_keys: readonly NamedRow[];
  readonly people: readonly NamedRow[];
  readonly end_users: readonly { readonly end_user: string; readonly requests: number }[];
  readonly end_user_count: number;
  readonly unnamed: number;
  readonly destinations: readonly DestinationRow[];
  readonly responses: number;
  readonly chat_completions: number;
}

const rowsOf = (rows: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(select coalesce(json_agg(row_to_json(one)), '[]') from (${rows}) as one)`;

const countBy = (column: "api_key_id" | "user_id"): Prisma.Sql => Prisma.sql`
  select ${Prisma.raw(column)}::text as id, sum(requests)::int as requests from alike group by 1 order by 2 desc, 1 limit ${rowsMax}`;

/** An endpoint that was tried twice for a request is one recipient of it. */
const tried = Prisma.sql`
  select coalesce(encode(decision_hash, 'hex'), '') as decision, recipient.provider, recipient.endpoint,
    sum(requests)::int as requests, coalesce(sum(requests) filter (where answered), 0)::int as answered,
    coalesce(sum(requests) filter (where unreached), 0)::int as unreached,
    min(first_at) as first_at, max(last_at) as last_at
  from alike cross join lateral (
    select tried.provider, tried.endpoint, bool_or(outcome = 'ok') as answered, bool_or(not reached) as unreached
    from ${triedOf(Prisma.sql`alike`)} group by tried.provider, tried.endpoint
  ) as recipient group by decision_hash, recipient.provider, recipient.endpoint`;

const endUsers = Prisma.sql`
  select user_reference as end_user, sum(requests)::int as requests from alike
  where user_reference is not null group by 1 order by 2 desc, 1 limit ${rowsMax}`;

const delivered = (content: string): Prisma.Sql =>
  Prisma.sql`(count(*) filter (where sent.status = 'delivered' and sent.content in (${content})))::int`;

/** Whether the organisation ever had a destination: reading the column of every request takes as long as all the rest. */
const hadDestinations = (orgId: string): Prisma.Sql => Prisma.sql`exists (
  select from audit_entry where org_id = ${orgId}::uuid and action = 'destination.create')`;

const destinations = (orgId: string, selected: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select sent.destination_id as id, destination.name, destination.type,
    coalesce(destination.residency, case when destination.id is null then max(sent.residency) end) as residency,
    ${delivered("sent")} as with_content, ${delivered("private")} as without_content,
    (count(*) filter (where sent.status = 'delivered' and sent.content not in ('sent', 'private')))::int as impersonal,
    (count(*) filter (where sent.status = 'pending'))::int as pending,
    (count(*) filter (where sent.status not in ('delivered', 'pending', 'unknown')))::int as failed,
    (count(*) filter (where sent.status = 'unknown'))::int as earlier,
    (count(*) filter (where sent.status = 'unknown' and sent.content = 'sent'))::int as earlier_with_content,
    min(sent.started_at) as first_at, max(sent.started_at) as last_at
  from (${handedTraces(selected, hadDestinations(orgId))}) as sent
    left join destination on destination.id = sent.destination_id and destination.org_id = ${orgId}::uuid
  group by sent.destination_id, destination.id order by destination.name, sent.destination_id`;

const stored = (
  table: "stored_response" | "stored_completion",
  orgId: string,
  selected: Prisma.Sql,
) => Prisma.sql`
  (select count(*)::int from ${Prisma.raw(table)}
    where org_id = ${orgId}::uuid and id in (select id from generation where ${selected}))`;

/** Requests that differ in nothing but their times are read together, so that a report of many requests is quick. */
async function count({ prisma }: Database, { orgId }: Auditor, selected: Prisma.Sql): Promise<Counts> {
  const [counts] = await prisma.$queryRaw<Counts[]>`
    with alike as materialized (
      select api_key_id, user_id, user_reference, decision_hash, provider, endpoint, ${triedAlike} as attempts,
        count(*) as requests, count(*) filter (where status = 'interrupted') as interrupted,
        min(started_at) as first_at, max(started_at) as last_at
      from generation where ${selected} group by 1, 2, 3, 4, 5, 6, 7
    )
    select coalesce(sum(requests), 0)::int as requests, min(first_at) as first_at, max(last_at) as last_at,
      coalesce(sum(requests) filter (where user_reference is null), 0)::int as unnamed,
      count(distinct user_reference)::int as end_user_count,
      coalesce(sum(interrupted) filter (where endpoint is null and attempts = '[]'::jsonb), 0)::int as unrecorded,
      (select coalesce(sum(requests), 0)::int from alike where not exists (
        select from ${triedOf(Prisma.sql`alike`)} where reached)) as unsent,
      ${rowsOf(tried)} as tried, ${rowsOf(countBy("api_key_id"))} as api_keys, ${rowsOf(countBy("user_id"))} as people,
      ${rowsOf(endUsers)} as end_users, ${rowsOf(destinations(orgId, selected))} as destinations,
      ${stored("stored_response", orgId, selected)} as responses,
      ${stored("stored_completion", orgId, selected)} as chat_completions
    from alike`;
  if (!counts) throw new Error("A statement that counts returned no row");
  return counts;
}

type Recipient = DataFlowReport["recipients"][number];

const iso = (time: string): string => isoTime(Date.parse(time));
const earlier = (a: string, b: string): string => (a < b ? a : b);
const later = (a: string, b: string): string => (a > b ? a : b);

/** The endpoints that requests were sent to, with the facts of that time. Several decisions refer to the same facts. */
async function recipientsOf(
  { database, adequacyOff }: SelectionDeps,
  { orgId }: Auditor,
  rows: readonly TriedRow[],
  nameOf: (slug: string) => string,
): Promise<Recipient[]> {
  const decisions = rows.map(({ decision }) => decision);
  const facts = await factsOfDecisions(database, orgId, decisions, adequacyOff);
  const found = new Map<string, Recipient>();
  for (const { decision, provider, endpoint, ...row } of rows) {
    const known = facts.get(decision)?.get(endpoint);
    const place = `${endpoint} ${known?.hash}`;
    const same = found.get(place);
    const { requests, answered, unreached } = row;
    const [first_at, last_at] = [iso(row.first_at), iso(row.last_at)];
    found.set(place, {
      provider,
      name: known?.facts.provider.name ?? nameOf(provider),
      endpoint,
      area: known?.area ?? "unknown",
      requests: requests + (same?.requests ?? 0),
      answered: answered + (same?.answered ?? 0),
      unreached: unreached + (same?.unreached ?? 0),
      first_at: earlier(first_at, same?.first_at ?? first_at),
      last_at: later(last_at, same?.last_at ?? last_at),
      facts_hash: known?.hash ?? null,
      facts: known?.facts ?? null,
    });
  }
  return [...found.values()].sort((a, b) => b.requests - a.requests || (a.endpoint < b.endpoint ? -1 : 1));
}

const withNames = (rows: readonly NamedRow[], names: ReadonlyMap<string, string>) =>
  rows.map(({ id, requests }) => ({ id, name: names.get(id) ?? null, requests }));

/** Names of the organisation's keys and members, by ID. */
async function namesOf({ prisma }: Database, org_id: string, { api_keys, people }: Counts) {
  const ids = (rows: readonly NamedRow[]) => ({ in: rows.map(({ id }) => id) });
  const [keys, members] = await Promise.all([
    prisma.api_key.findMany({ where: { org_id, id: ids(api_keys) }, select: { id: true, name: true } }),
    prisma.member.findMany({
      where: { org_id, user_id: ids(people) },
      select: { user_id: true, user: { select: { name: true } } },
    }),
  ]);
  return {
    keys: new Map(keys.map(({ id, name }) => [id, name])),
    people: new Map(members.map(({ user_id, user }) => [user_id, user.name])),
  };
}

/** From when on the records of requests exist, if that is later than the beginning of the period. */
export async function recordsFrom({ prisma }: Database, from: string): Promise<string | null> {
  const { requests_from: kept } = await prisma.history_state.findFirstOrThrow();
  return kept.getTime() > Date.parse(from) ? kept.toISOString() : null;
}

/** Interrupted requests of which no provider is recorded. `anywhere` is a condition on `generation`. */
export async function countUnrecorded({ prisma }: Database, anywhere: Prisma.Sql): Promise<number> {
  const [lost] = await prisma.$queryRaw<{ count: number }[]>`
    select count(*)::int as count from generation
    where ${anywhere} and status = 'interrupted' and endpoint is null and attempts = '[]'::jsonb`;
  return lost?.count ?? 0;
}

/**
 * Reports where the requests that match a filter went: every endpoint that received one, with the facts of that time,
 * keys, people and end users, destinations of traces, and what is still stored here. `nameOf` returns the name of a
 * provider without stored facts.
 */
export async function reportDataFlows(
  deps: SelectionDeps,
  caller: Auditor,
  filter: DataFlowFilter,
  nameOf: (slug: string) => string,
): Promise<DataFlowReport> {
  const { database } = deps;
  const { selected, anywhere } = await selectionOf(deps, caller, filter);
  const counts = await count(database, caller, selected);
  const names = await namesOf(database, caller.orgId, counts);
  return {
    requests: counts.requests,
    first_at: counts.first_at?.toISOString() ?? null,
    last_at: counts.last_at?.toISOString() ?? null,
    unsent: counts.unsent,
    unrecorded: anywhere ? await countUnrecorded(database, anywhere) : counts.unrecorded,
    records_from: await recordsFrom(database, filter.from),
    recipients: await recipientsOf(deps, caller, counts.tried, nameOf),
    api_keys: withNames(counts.api_keys, names.keys),
    people: withNames(counts.people, names.people),
    end_users: { count: counts.end_user_count, unnamed: counts.unnamed, data: [...counts.end_users] },
    destinations: counts.destinations.map((one) => ({
      ...one,
      first_at: iso(one.first_at),
      last_at: iso(one.last_at),
    })),
    deliveries_from: isoTime(Math.ceil((clock.nowMs() - deliveredRetentionMs) / hourMs) * hourMs),
    stored: { responses: counts.responses, chat_completions: counts.chat_completions },
  };
}

import type { DataFlowFilter } from "#contract/data-flows.ts";
import { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Database } from "#server/db/index.ts";
import { factsOfDecisions, type KnownFacts } from "./stored-facts.ts";
import { receivedBy, triedColumns, triedOf } from "./tried.ts";

/** Who may see where requests of the whole organisation went. */
export type Auditor = Authorized<"audit:read", "organisation">;
type Organisation = Pick<Auditor, "orgId">;

export interface SelectionDeps {
  readonly database: Database;
  /** Countries whose adequacy decision the operator does not rely on. */
  readonly adequacyOff: ReadonlySet<string>;
}

const all = (conditions: readonly Prisma.Sql[]): Prisma.Sql => Prisma.join([...conditions], " and ");

const within = ({ orgId }: Organisation, { from, to }: DataFlowFilter): Prisma.Sql => Prisma.sql`
  org_id = ${orgId}::uuid and started_at >= ${from}::timestamptz and started_at < ${to}::timestamptz`;

interface Tried {
  /** Hash of the decision in hexadecimal digits; empty for rows without one. */
  readonly decision: string;
  readonly provider: string;
  readonly endpoint: string;
}

/** Whether an endpoint is what a filter asks for, by the facts that the decision refers to. */
const isAsked = (
  { area, country, facts_hash, provider, endpoint }: DataFlowFilter,
  tried: Tried,
  known: KnownFacts | undefined,
): boolean =>
  (area === undefined || (known?.area ?? "unknown") === area) &&
  (country === undefined || known?.facts.place.countries.includes(country) === true) &&
  (facts_hash === undefined || known?.hash === facts_hash) &&
  (provider === undefined || tried.provider === provider) &&
  (endpoint === undefined || tried.endpoint === endpoint);

/** Requests that an endpoint received which matched, by the facts that their decisions refer to. */
async function withFacts(
  { database, adequacyOff }: SelectionDeps,
  caller: Organisation,
  filter: DataFlowFilter,
): Promise<Prisma.Sql> {
  const tried = await database.prisma.$queryRaw<Tried[]>`
    select distinct coalesce(encode(decision_hash, 'hex'), '') as decision, tried.provider, tried.endpoint
    from (select decision_hash, ${triedColumns} from generation where ${within(caller, filter)}) as row,
      ${triedOf(Prisma.sql`row`)} where reached`;
  const decisions = tried.map(({ decision }) => decision);
  const facts = await factsOfDecisions(database, caller.orgId, decisions, adequacyOff);
  const asked = tried.filter((one) => isAsked(filter, one, facts.get(one.decision)?.get(one.endpoint)));
  return Prisma.sql`exists (select from ${triedOf(Prisma.sql`generation`)}
    where reached and (coalesce(encode(decision_hash, 'hex'), ''), tried.endpoint) in (
      select decision, endpoint from unnest(${asked.map(({ decision }) => decision)}::text[],
        ${asked.map(({ endpoint }) => endpoint)}::text[]) as asked (decision, endpoint)))`;
}

/** Requests that who a filter asks for may have received. */
async function ofRecipient(
  deps: SelectionDeps,
  caller: Organisation,
  filter: DataFlowFilter,
): Promise<readonly Prisma.Sql[]> {
  const { area, country, facts_hash, provider, endpoint } = filter;
  if (area ?? country ?? facts_hash) return [await withFacts(deps, caller, filter)];
  if (!(provider ?? endpoint)) return [];
  return [
    receivedBy({
      provider: provider ? Prisma.sql`${provider}::text` : undefined,
      endpoint: endpoint ? Prisma.sql`${endpoint}::text` : undefined,
    }),
  ];
}

/** Requests to which a routing rule applied. Records of versions without decisions do not match. */
const underRule = ({ orgId }: Organisation, ruleId: string): Prisma.Sql => Prisma.sql`decision_hash in (
  select hash from decision_basis cross join lateral json_array_elements(body->'models') as decided (entry)
  where org_id = ${orgId}::uuid and jsonb_exists((entry->'rules')::jsonb, ${ruleId}))`;

/** The conditions that do not depend on who received a request. */
const ofRequest = (caller: Organisation, filter: DataFlowFilter): readonly Prisma.Sql[] => {
  const { api_key_id: keyId, user_id: userId, workspace_id: workspaceId, rule_id: ruleId } = filter;
  const { end_user: endUser, destination_id: destinationId } = filter;
  return [
    within(caller, filter),
    ...(keyId ? [Prisma.sql`api_key_id = ${keyId}::uuid`] : []),
    ...(workspaceId ? [Prisma.sql`workspace_id = ${workspaceId}::uuid`] : []),
    ...(ruleId ? [underRule(caller, ruleId)] : []),
    ...(userId ? [Prisma.sql`user_id = ${userId}::uuid`] : []),
    ...(endUser ? [Prisma.sql`user_reference = ${endUser}`] : []),
    ...(destinationId
      ? [
          Prisma.sql`(destinations @> jsonb_build_array(jsonb_build_object('id', ${destinationId}::text))
            or exists (select from destination_delivery
              where destination_id = ${destinationId}::uuid and generation_id = generation.id))`,
        ]
      : []),
  ];
};

/** Conditions of a `select … from generation`, joined with `and`. */
interface Selection {
  readonly selected: Prisma.Sql;
  /** The same without who received the requests: interrupted ones do not say. Null if nobody is asked for. */
  readonly anywhere: Prisma.Sql | null;
}

/** The requests of the caller's organisation that match a filter. */
export async function selectionOf(
  deps: SelectionDeps,
  caller: Organisation,
  filter: DataFlowFilter,
): Promise<Selection> {
  const [anywhere, recipient] = [ofRequest(caller, filter), await ofRecipient(deps, caller, filter)];
  return {
    anywhere: recipient.length === 0 ? null : all(anywhere),
    selected: all([...anywhere, ...recipient]),
  };
}

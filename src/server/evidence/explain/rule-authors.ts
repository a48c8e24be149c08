import type { Authorized } from "#server/access/authorize.ts";
import type { Database } from "#server/db/index.ts";

/** The person who changed a rule last before a time, of each rule. */
const changedBy = `
  select distinct on (entry.subject_id) entry.subject_id as id, person.name
  from audit_entry as entry join "user" as person on person.id::text = entry.actor_id
  where entry.org_id = $1::uuid and entry.subject_type = 'routing_rule' and entry.subject_id = any($2::text[])
    and entry.occurred_at <= $3::timestamptz
  order by entry.subject_id, entry.id desc`;

/** Names of the people who changed rules last before a time, by the rule's ID. */
export async function ruleAuthors(
  database: Database,
  caller: Authorized<"activity:read">,
  ids: readonly string[],
  before: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.statement<{ id: string; name: string }>(changedBy, [caller.orgId, ids, before]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

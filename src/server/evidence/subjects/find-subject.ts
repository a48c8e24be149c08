import { setImmediate as nextTurn } from "node:timers/promises";
import type { SubjectType } from "#contract/data-subjects.ts";
import type { Database } from "#server/db/index.ts";
import { isoTime } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { RowSeal } from "#server/platform/row-seal.ts";
import { isHashOf, type Subject } from "#server/subjects/index.ts";
import { beyond, type Place } from "../place.ts";

interface Sought {
  readonly orgId: string;
  readonly type: SubjectType;
  readonly hash: string;
  /** Only requests that began before it. */
  readonly until: string;
}

/** Every name that sums, counters or keys have. `$1` is the organisation. */
const namesStatements: Record<SubjectType, string> = {
  end_user: `
    select value from tag_value where org_id = $1::uuid and tag = 'end_user' union
    select unnest(counter.values) from budget_counter as counter join budget on budget.id = counter.budget_id
    where budget.org_id = $1::uuid`,
  person: `
    select user_id::text as value from member where org_id = $1::uuid union
    select user_id::text from api_key where org_id = $1::uuid`,
  api_key: `
    select id::text as value from api_key where org_id = $1::uuid union
    select api_key_id::text from usage_day where org_id = $1::uuid`,
};

async function findHashed(seal: RowSeal, { orgId, type, hash }: Sought, names: readonly string[]) {
  for (const [at, value] of names.entries()) {
    if (isHashOf(seal, orgId, { type, value }, hash)) return { type, value };
    if (at % limits.erasures.hashedTogether === 0) await nextTurn();
  }
  return null;
}

interface NamesRow {
  readonly names: string[];
  readonly last_at: string | null;
  readonly last_id: string | null;
}

/** The end users of the next requests of anybody, newest first, and the last of these requests. */
async function endUsersOf({ prisma }: Database, { orgId, until }: Sought, place: Place | null) {
  const [row] = await prisma.$queryRaw<NamesRow[]>`
    with scanned as materialized (
      select id, started_at, user_reference from generation
      where org_id = ${orgId}::uuid and started_at < ${until}::timestamptz and ${beyond(place)}
      order by started_at desc, id asc limit ${limits.erasures.scannedTogether}
    ), last as (select id, started_at from scanned order by started_at asc, id desc limit 1)
    select (select coalesce(json_agg(distinct user_reference), '[]') from scanned where user_reference is not null)
        as names,
      (select row_to_json(last)->>'started_at' from last) as last_at, (select id::text from last) as last_id`;
  const { names = [], last_at: lastAt = null, last_id: lastId = null } = row ?? {};
  const next =
    lastAt === null || lastId === null ? null : { startedAt: isoTime(Date.parse(lastAt)), id: lastId };
  return { names, next };
}

/**
 * Finds the subject of a keyed hash by hashing every name that the organisation's data has. Null if no data has it.
 */
export async function findSubject(
  database: Database,
  seal: RowSeal,
  sought: Sought,
  signal: AbortSignal,
): Promise<Subject | null> {
  const rows = await database.statement<{ value: string }>(namesStatements[sought.type], [sought.orgId]);
  const names = rows.map(({ value }) => value);
  const found = await findHashed(seal, sought, names);
  if (found !== null || sought.type !== "end_user") return found;
  const hashed = new Set(names);
  let place: Place | null = null;
  do {
    signal.throwIfAborted();
    const step = await endUsersOf(database, sought, place);
    const fresh: string[] = step.names.filter((name) => !hashed.has(name));
    const hit = await findHashed(seal, sought, fresh);
    if (hit !== null) return hit;
    for (const name of fresh) hashed.add(name);
    place = step.next;
  } while (place !== null);
  return null;
}

import type { Database } from "#server/db/index.ts";
import { limits } from "#server/platform/limits.ts";
import { entriesIn, entriesOf, entriesOfPending, isOf, uuidOf } from "./entry.ts";
import { indexOfGeneration } from "./index-of.ts";

interface Row {
  readonly id: string;
  readonly org_id: string;
}

const selectPage = `
  select id, org_id from generation where id > $1::uuid order by id limit $2`;

/** The IDs of the generations that are in a log, of those from `from` up to `to` and some others. */
async function loggedIds(
  { prisma }: Database,
  orgId: string,
  from: string,
  to: string,
): Promise<Set<string>> {
  const bundles = await prisma.log_bundle.findMany({
    where: { org_id: orgId, ids_from: { lte: to }, ids_to: { gte: from } },
    select: { entries: true },
  });
  const pending = await prisma.log_pending.findMany({ where: { org_id: orgId }, select: { entries: true } });
  const entries = [
    ...bundles.flatMap((bundle) => entriesIn(bundle.entries)),
    ...pending.flatMap((batch) => entriesOf(entriesOfPending(Buffer.from(batch.entries)))),
  ];
  return new Set(entries.filter((entry) => isOf("generation", entry)).map(uuidOf));
}

async function firstMissing(
  database: Database,
  orgId: string,
  ids: readonly string[],
): Promise<string | null> {
  const [from, to] = [ids[0], ids.at(-1)];
  if (from === undefined || to === undefined) return null;
  const logged = await loggedIds(database, orgId, from, to);
  // What was pending may have been added to the log meanwhile.
  for (const id of ids)
    if (!logged.has(id) && (await indexOfGeneration(database, orgId, id)) === null) return id;
  return null;
}

/**
 * Finds requests that are stored but in no transparency log: somebody added them to the database. `firstIds`: by
 * organisation, the smallest ID from which on all of its requests must be in its log. Returns a problem for each
 * organisation that has one.
 */
export async function findUnlogged(
  database: Database,
  firstIds: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>();
  let last = [...firstIds.values()].sort()[0];
  while (last !== undefined) {
    const page: Row[] = await database.statement<Row & Record<string, unknown>>(selectPage, [
      last,
      limits.transparency.verifiedTogether,
    ]);
    for (const [orgId, rows] of Map.groupBy(page, ({ org_id }) => org_id)) {
      const firstId = firstIds.get(orgId);
      if (firstId === undefined || problems.has(orgId)) continue;
      const ids = rows.map(({ id }) => id).filter((id) => id >= firstId);
      const missing = await firstMissing(database, orgId, ids);
      if (missing !== null)
        problems.set(orgId, `the request ${missing} is stored, but was never added to it`);
    }
    last = page.at(-1)?.id;
  }
  return problems;
}

const changedIn = (table: "decision_basis" | "decision_input" | "endpoint_facts", name: string): string => `
  select org_id, '${name} ' || encode(hash, 'hex') || ' was changed' as problem from ${table}
  where sha256(convert_to(body::text, 'UTF8')) <> hash`;

/** Each finds documents that were changed or removed, with what is wrong with them. */
const documentProblems = [
  `select distinct on (org_id) org_id, 'the decision of the request ' || id || ' is missing' as problem from generation
   where decision_hash is not null and not exists (
     select from decision_basis as basis where basis.org_id = generation.org_id and hash = decision_hash)`,
  `select org_id, 'the facts ' || fact || ' are missing' as problem
   from decision_basis as basis, json_array_elements_text(body -> 'facts') as fact
   where json_typeof(body -> 'facts') = 'array' and not exists (
     select from endpoint_facts as facts where facts.org_id = basis.org_id and hash = decode(fact, 'hex'))`,
  `select org_id, 'the inputs ' || (body ->> 'inputs') || ' are missing' as problem
   from decision_basis as basis where body ->> 'inputs' is not null and not exists (
     select from decision_input as input
     where input.org_id = basis.org_id and hash = decode(basis.body ->> 'inputs', 'hex'))`,
  // Inputs with a version refer to those of models and rules.
  `select org_id, 'the inputs ' || referred || ' are missing' as problem
   from decision_input as input, lateral (
     select model ->> 'model' from json_array_elements(input.body -> 'models') as model
     union all select json_array_elements_text(input.body -> 'rules')) as reference (referred)
   where input.body ->> 'version' is not null and not exists (
     select from decision_input as other
     where other.org_id = input.org_id and other.hash = decode(referred, 'hex'))`,
  changedIn("decision_basis", "the decision"),
  changedIn("decision_input", "a document of inputs"),
  changedIn("endpoint_facts", "a document of facts"),
];

/**
 * Finds decisions, their inputs and facts of endpoints that were changed or removed: requests refer to decisions by their
 * hash, and decisions to inputs and facts. Returns a problem for each organisation that has one.
 */
export async function findChangedDocuments({ statement }: Database): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>();
  for (const text of documentProblems)
    for (const { org_id, problem } of await statement<{ org_id: string; problem: string }>(text, []))
      problems.set(org_id, problem);
  return problems;
}

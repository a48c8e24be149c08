import type { Erasure, ErasureCounts } from "#contract/data-subjects.ts";
import { type erasure, Prisma } from "#generated/prisma/client.ts";
import { systemOf } from "#server/access/caller.ts";
import { changeRecords } from "#server/audit/change.ts";
import { type Database, erasePersonal } from "#server/db/index.ts";
import type { Queue } from "#server/jobs/queue.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { blockingHold, type Subject } from "#server/subjects/index.ts";
import { handedTraces } from "../handed-traces.ts";
import type { Place } from "../place.ts";
import { listErasure } from "./erasure-list.ts";
import { type ErasureDeps, erasureOf, openSubject, placeOf } from "./erasures.ts";
import { findSubject } from "./find-subject.ts";
import { addCounts, eraseParts, noCounts, partsOf } from "./parts.ts";
import { walk } from "./walk.ts";

type Destinations = Erasure["destinations"];

interface Found {
  readonly counts: ErasureCounts;
  readonly destinations: Destinations;
}

interface Work {
  readonly row: Pick<erasure, "org_id" | "dry_run" | "requests_until">;
  readonly subject: Subject;
}

/** The destinations that traces of some requests were handed to. */
const receiversOf = ({ prisma }: Database, orgId: string, ids: readonly string[]): Promise<Destinations> =>
  prisma.$queryRaw<Destinations>`
    select handed.destination_id::text as id, destination.name, count(*)::int as traces,
      (count(*) filter (where handed.content = 'sent'))::int as with_content
    from (${handedTraces(Prisma.sql`org_id = ${orgId}::uuid and id = any(${ids}::uuid[])`)}) as handed
      left join destination on destination.id = handed.destination_id and destination.org_id = ${orgId}::uuid
    where handed.status in ('delivered', 'unknown')
    group by handed.destination_id, destination.name`;

const personal = `
  select id from generation where org_id = $1::uuid and id = any($2::uuid[])
    and num_nonnulls(app_title, session_id, tags, user_reference) > 0`;

function addDestinations(a: Destinations, b: Destinations): Destinations {
  const sum = new Map(a.map((one) => [one.id, one]));
  for (const one of b) {
    const same = sum.get(one.id);
    const traces = one.traces + (same?.traces ?? 0);
    sum.set(one.id, { ...one, traces, with_content: one.with_content + (same?.with_content ?? 0) });
  }
  return [...sum.values()];
}

/** Erases or counts what is stored about some requests of a subject. */
async function eraseRequests(
  database: Database,
  { row: { org_id: orgId, dry_run: dryRun }, subject }: Work,
  ids: readonly string[],
): Promise<Found> {
  const destinations = await receiversOf(database, orgId, ids);
  const counts = await eraseParts(database, partsOf[subject.type].ofRequests, { orgId, dryRun, of: ids });
  // Last: an end user's requests are found by what this erases.
  const named = await database.statement<{ id: string }>(personal, [orgId, ids]);
  const erased = named.map(({ id }) => id);
  if (!dryRun) await erasePersonal(database, orgId, erased);
  const own = { requests: ids.length, personal_records: erased.length };
  return { counts: addCounts(noCounts, { ...counts, ...own }), destinations };
}

/** The requests that one step reads, in parts that block nobody. */
async function eraseStep(database: Database, work: Work, place: Place | null, scannedMax: number) {
  const { org_id: orgId, requests_until: until } = work.row;
  const step = await walk(database, {
    ...{ orgId, subject: work.subject, until: until.toISOString(), place, scannedMax },
  });
  let found: Found = { counts: noCounts, destinations: [] };
  for (let at = 0; at < step.ids.length; at += limits.deletion.rowsTogether) {
    const part = await eraseRequests(database, work, step.ids.slice(at, at + limits.deletion.rowsTogether));
    found = {
      counts: addCounts(found.counts, part.counts),
      destinations: addDestinations(found.destinations, part.destinations),
    };
  }
  return { found, next: step.next };
}

/** Records the end: in the audit log, and so in the transparency log, as a certificate without the subject. */
async function complete(database: Database, row: erasure, found: Found, isLast: boolean): Promise<void> {
  const { id, org_id, subject_type, subject_hash, dry_run, reference } = row;
  // The requests of a person or key are found again each time, because who sent them stays.
  const { requests: _, ...erased } = found.counts;
  const isNew = row.status !== "done" || Object.values(erased).some((count) => count > 0);
  const after = {
    subject_type,
    subject_hash,
    reference,
    requests_until: row.requests_until.toISOString(),
    ...found,
  };
  await changeRecords(database, systemOf(org_id), "erasure.complete", async (tx) => {
    await tx.erasure.update({
      where: { id },
      data: {
        ...(row.status !== "done" && { ...found, status: "done", completed_at: dateAt(clock.nowMs()) }),
        ...(isLast && { subject: null }),
      },
    });
    return { result: undefined, audit: dry_run || !isNew ? null : { id, after } };
  });
}

export interface EraseDeps extends ErasureDeps {
  readonly queue: Queue;
  /** Where erasures are listed outside the database. */
  readonly config: { readonly dataDir: string };
}

/** The subject of an erasure; null if it was forgotten, or if a restored database has nothing of it. */
async function subjectOfRow(
  { database, sealer, subjectSeal }: EraseDeps,
  row: erasure,
  signal: AbortSignal,
): Promise<Subject | null> {
  if (row.subject !== null) return openSubject(sealer, { ...row, subject: row.subject });
  if (!row.repeated || row.status === "done") return null;
  const { subject_type: type } = erasureOf(row);
  const sought = { type, hash: row.subject_hash, until: row.requests_until.toISOString() };
  const subject = await findSubject(database, subjectSeal, { orgId: row.org_id, ...sought }, signal);
  // Once it is erased in part, it could not be found again.
  if (subject !== null)
    await database.prisma.erasure.update({
      where: { id: row.id },
      data: { subject: sealer.seal(subject.value, placeOf(row)) },
    });
  return subject;
}

interface Stopped {
  readonly orgId: string;
  readonly subject: Subject;
  readonly job: { readonly id: string; readonly again: boolean };
}

/** Whether a legal hold stops an erasure. It is tried again later then. */
async function waitsForRelease(
  { database, queue }: EraseDeps,
  { orgId, subject, job }: Stopped,
): Promise<boolean> {
  if ((await blockingHold(database.prisma, orgId, subject)) === null) return false;
  const { retrySeconds: delaySeconds } = limits.legalHolds;
  await database.transaction((tx) => queue.enqueue(tx, "erase-data-subject", job, { delaySeconds }));
  return true;
}

/** Lists an erasure outside the database, so that it can be repeated after a restored backup. */
function listOutside({ config }: EraseDeps, row: erasure): void {
  const { id, org_id, created_by } = row;
  const { subject_type, subject_hash, requests_until, created_at } = erasureOf(row);
  listErasure(config.dataDir, {
    id,
    org_id,
    subject_type,
    subject_hash,
    requests_until,
    created_by,
    created_at,
  });
}

/**
 * The job behind an erasure. It continues after the last step if it was interrupted; what that step had erased is then
 * missing in the counts. `again` repeats all of it for requests that were in progress, and forgets the subject.
 */
export async function eraseSubject(
  deps: EraseDeps,
  { id, again }: { readonly id: string; readonly again: boolean },
  signal: AbortSignal,
  scannedTogether: number = limits.erasures.scannedTogether,
): Promise<void> {
  const { database } = deps;
  const row = await database.prisma.erasure.findUnique({ where: { id } });
  if (!row || (!again && row.status === "done")) return;
  const subject = await subjectOfRow(deps, row, signal);
  const nothing: Found = { counts: noCounts, destinations: [] };
  if (subject === null && row.repeated) return complete(database, row, nothing, true);
  if (subject === null) return;
  const { org_id: orgId, dry_run: dryRun } = row;
  if (!dryRun && (await waitsForRelease(deps, { orgId, subject, job: { id, again } }))) return;
  if (!dryRun) listOutside(deps, row);
  const work = { row, subject };
  const isContinued = !again && row.scanned_until !== null && row.scanned_id !== null;
  let place = isContinued
    ? { startedAt: row.scanned_until?.toISOString() ?? "", id: row.scanned_id ?? "" }
    : null;
  let found: Found = isContinued ? erasureOf(row) : nothing;
  for (let isFirst = true; isFirst || place !== null; isFirst = false) {
    signal.throwIfAborted();
    const step = await eraseStep(database, work, place, scannedTogether);
    found = {
      counts: addCounts(found.counts, step.found.counts),
      destinations: addDestinations(found.destinations, step.found.destinations),
    };
    place = step.next;
    if (place !== null && !again)
      await database.prisma.erasure.update({
        where: { id },
        data: { ...found, status: "running", scanned_until: place.startedAt, scanned_id: place.id },
      });
  }
  const once = await eraseParts(database, partsOf[subject.type].once, { orgId, dryRun, of: subject.value });
  const { counts, destinations } = found;
  const isLast = again || dryRun || row.repeated;
  await complete(database, row, { counts: addCounts(counts, once), destinations }, isLast);
}

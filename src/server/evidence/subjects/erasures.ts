import {
  Erasure,
  ErasureCounts,
  type ErasureCreate,
  type ErasureListQuery,
  SubjectType,
} from "#contract/data-subjects.ts";
import type { erasure } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { changeRecords } from "#server/audit/change.ts";
import { type Database, newestFirst, type Page, readColumns, readPage } from "#server/db/index.ts";
import type { Queue } from "#server/jobs/queue.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { AppError, notFound } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import type { RowSeal } from "#server/platform/row-seal.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import {
  assertKnown,
  blockingHold,
  hashOf,
  isHashOf,
  type Subject,
  subjectOf,
} from "#server/subjects/index.ts";
import { addCounts, noCounts } from "./parts.ts";

export type DataOfficer = Authorized<"data_subjects:write", "organisation">;

export interface ErasureDeps {
  readonly database: Database;
  readonly sealer: Sealer;
  /** Makes the keyed hashes of subjects. */
  readonly subjectSeal: RowSeal;
}

/** What the encrypted subject of an erasure is bound to. */
export const placeOf = ({ id, org_id }: Pick<erasure, "id" | "org_id">) => ({
  table: "erasure",
  column: "subject",
  rowId: id,
  orgId: org_id,
});

/** The subject of an erasure that is not over. Throws for a type of a newer version. */
export const openSubject = (
  sealer: Sealer,
  row: Pick<erasure, "id" | "org_id" | "subject_type"> & { readonly subject: string },
): Subject => {
  const { subject_type: type, problem } = readColumns(row, { subject_type: [SubjectType, "end_user"] });
  if (problem !== null) throw new Error(`The erasure ${row.id} cannot be read: ${problem}`);
  return { type, value: sealer.open(row.subject, placeOf(row)) };
};

/** Rows of earlier versions lack the counts that were added later. */
const StoredCounts = ErasureCounts.partial().transform((counts) => addCounts(noCounts, counts));

/** An erasure as the API shows it. */
export function erasureOf(row: erasure): Erasure {
  const { subject_type, status, counts, destinations, problem } = readColumns(row, {
    subject_type: [SubjectType, "end_user"],
    status: [Erasure.shape.status, "waiting"],
    counts: [StoredCounts, noCounts],
    destinations: [Erasure.shape.destinations, []],
  });
  return {
    id: row.id,
    subject_type,
    subject_hash: row.subject_hash,
    dry_run: row.dry_run,
    repeated: row.repeated,
    reference: row.reference,
    status,
    requests_until: row.requests_until.toISOString(),
    scanned_until: row.scanned_until?.toISOString() ?? null,
    counts,
    destinations,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
    problem,
  };
}

/**
 * Asks for the erasure of a subject, or for a dry run. A job does it; unless it is a dry run, it is repeated after a day
 * for requests that were in progress. Throws NOT_FOUND for an unknown person or key, CONFLICT if too many wait or a
 * legal hold forbids it.
 */
export async function createErasure(
  { database, sealer, subjectSeal, queue }: ErasureDeps & { readonly queue: Queue },
  caller: DataOfficer,
  { dry_run, reference: given, ...named }: ErasureCreate,
): Promise<Erasure> {
  const subject = subjectOf(named);
  if (!subject) throw new AppError("BAD_REQUEST", "end_user: is required", { param: "end_user" });
  await assertKnown(database, caller.orgId, subject);
  const hold = dry_run ? null : await blockingHold(database.prisma, caller.orgId, subject);
  if (hold !== null)
    throw new AppError("CONFLICT", `The legal hold "${hold}" forbids this erasure. Release it first.`);
  const reference = given ?? null;
  const org_id = caller.orgId;
  const place = { id: uuidv7(), org_id };
  const now = dateAt(clock.nowMs());
  const created = await changeRecords(database, caller, "erasure.create", async (tx) => {
    const waiting = await tx.erasure.count({ where: { org_id, status: { not: "done" } } });
    if (waiting >= limits.erasures.waitingMax)
      throw new AppError("CONFLICT", `At most ${limits.erasures.waitingMax} erasures can wait at a time`);
    const row = await tx.erasure.create({
      data: {
        ...place,
        subject_type: subject.type,
        subject_hash: hashOf(subjectSeal, org_id, subject),
        subject: sealer.seal(subject.value, placeOf(place)),
        ...{ dry_run, reference, status: "waiting", requests_until: now, created_at: now },
        ...{ counts: noCounts, destinations: [], created_by: caller.userId },
      },
    });
    await queue.enqueue(tx, "erase-data-subject", { id: row.id, again: false });
    if (!dry_run) {
      const delaySeconds = limits.deletion.againAfterSeconds;
      await queue.enqueue(tx, "erase-data-subject", { id: row.id, again: true }, { delaySeconds });
    }
    const { subject_type, subject_hash } = row;
    return {
      result: erasureOf(row),
      audit: { id: row.id, after: { subject_type, subject_hash, dry_run, reference } },
    };
  });
  queue.wake("erase-data-subject");
  return created;
}

/** One erasure of the caller's organisation. Throws NOT_FOUND. */
export async function getErasure({ prisma }: Database, caller: DataOfficer, id: string): Promise<Erasure> {
  const row = await prisma.erasure.findFirst({ where: { id, org_id: caller.orgId } });
  if (!row) throw notFound("erasure", "id");
  return erasureOf(row);
}

/** Erasures of the caller's organisation, newest first; of one subject if it is named. */
export async function listErasures(
  { database: { prisma }, subjectSeal }: Pick<ErasureDeps, "database" | "subjectSeal">,
  caller: DataOfficer,
  { limit, offset, ...named }: ErasureListQuery,
): Promise<Page<Erasure>> {
  const { orgId } = caller;
  const subject = subjectOf(named);
  const own = { org_id: orgId };
  const hashes = subject
    ? await prisma.erasure.findMany({
        where: own,
        distinct: ["subject_hash"],
        select: { subject_hash: true },
      })
    : [];
  const matching = hashes.filter((one) => subject && isHashOf(subjectSeal, orgId, subject, one.subject_hash));
  const where = subject ? { ...own, subject_hash: { in: matching.map((one) => one.subject_hash) } } : own;
  return readPage(
    { limit, offset },
    {
      rows: (window) => prisma.erasure.findMany({ where, orderBy: newestFirst, ...window }),
      count: () => prisma.erasure.count({ where }),
      toWire: (rows) => rows.map(erasureOf),
    },
  );
}

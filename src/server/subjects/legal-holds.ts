import { SubjectType } from "#contract/data-subjects.ts";
import type { LegalHold, LegalHoldCreate, LegalHoldListQuery } from "#contract/legal-hold.ts";
import type { legal_hold } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { changeRecords } from "#server/audit/change.ts";
import { type Database, newestFirst, type Page, readColumns, readPage, type Tx } from "#server/db/index.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { AppError, notFound } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import type { RowSeal } from "#server/platform/row-seal.ts";
import { legalHoldsInForce } from "./held.ts";
import { assertKnown, hashOf, type Subject, subjectOf } from "./subject.ts";

type Officer = Authorized<"data_subjects:write", "organisation">;

/** A legal hold as the API shows it. */
function legalHoldOf(row: legal_hold): LegalHold {
  const { subject_type, problem } = readColumns(row, { subject_type: [SubjectType.nullable(), null] });
  return {
    id: row.id,
    name: row.name,
    reference: row.reference,
    subject_type,
    subject: row.subject,
    subject_hash: row.subject_hash,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    released_by: row.released_by,
    released_at: row.released_at?.toISOString() ?? null,
    problem,
  };
}

/** What the audit log says of a legal hold: nothing that names an end user. */
const audited = ({ name, reference, subject_type, subject_hash }: legal_hold) => ({
  ...{ name, reference, subject_type, subject_hash },
});

/**
 * Sets a legal hold: what it concerns is not deleted until it is released. Throws NOT_FOUND for an unknown person or key,
 * CONFLICT if too many are in force.
 */
export async function createLegalHold(
  { database, subjectSeal }: { readonly database: Database; readonly subjectSeal: RowSeal },
  caller: Officer,
  { name, reference, ...named }: LegalHoldCreate,
): Promise<LegalHold> {
  const { orgId, userId } = caller;
  const subject = subjectOf(named);
  if (subject) await assertKnown(database, orgId, subject);
  return changeRecords(database, caller, "legal_hold.create", async (tx) => {
    if ((await legalHoldsInForce(tx, orgId)) >= limits.legalHolds.inForceMax)
      throw new AppError("CONFLICT", `At most ${limits.legalHolds.inForceMax} legal holds can be in force`);
    const row = await tx.legal_hold.create({
      data: {
        ...{ id: uuidv7(), org_id: orgId, name, reference: reference ?? null },
        subject_type: subject?.type ?? null,
        subject: subject?.value ?? null,
        subject_hash: subject && hashOf(subjectSeal, orgId, subject),
        ...{ created_by: userId, created_at: dateAt(clock.nowMs()) },
      },
    });
    return { result: legalHoldOf(row), audit: { id: row.id, after: audited(row) } };
  });
}

/** Legal holds of the caller's organisation, newest first, also released ones. */
export function listLegalHolds(
  { prisma }: Database,
  { orgId }: Officer,
  window: LegalHoldListQuery,
): Promise<Page<LegalHold>> {
  const where = { org_id: orgId };
  return readPage(window, {
    rows: (chosen) => prisma.legal_hold.findMany({ where, orderBy: newestFirst, ...chosen }),
    count: () => prisma.legal_hold.count({ where }),
    toWire: (rows) => rows.map(legalHoldOf),
  });
}

/** Releases a legal hold, and forgets whom it concerned but for a keyed hash. Throws NOT_FOUND, CONFLICT if it is released. */
export async function releaseLegalHold(
  database: Database,
  { orgId, ...caller }: Officer,
  id: string,
): Promise<LegalHold> {
  return changeRecords(database, { orgId, ...caller }, "legal_hold.release", async (tx) => {
    const before = await tx.legal_hold.findFirst({ where: { id, org_id: orgId } });
    if (!before) throw notFound("legal hold", "id");
    const { count } = await tx.legal_hold.updateMany({
      where: { id, org_id: orgId, released_at: null },
      data: { subject: null, released_by: caller.userId, released_at: dateAt(clock.nowMs()) },
    });
    if (count === 0) throw new AppError("CONFLICT", "The legal hold is already released");
    const row = await tx.legal_hold.findUniqueOrThrow({ where: { id } });
    return { result: legalHoldOf(row), audit: { id, before: audited(before) } };
  });
}

/**
 * The name of a legal hold that forbids an erasure; null if there is none. One of an end user does not forbid erasing
 * another end user. It does forbid erasing a person or a key, whose requests may name that end user; and the reverse.
 */
export async function blockingHold(
  { legal_hold }: Pick<Tx, "legal_hold">,
  orgId: string,
  { type, value }: Subject,
): Promise<string | null> {
  const hold = await legal_hold.findFirst({
    where: {
      ...{ org_id: orgId, released_at: null },
      OR: [{ subject_type: null }, { subject_type: { not: type } }, { subject: value }],
    },
    orderBy: { created_at: "asc" },
  });
  return hold?.name ?? null;
}

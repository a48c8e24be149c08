import { stored } from "#contract/answered.ts";
import { DataFlowFilter } from "#contract/data-flows.ts";
import { EvidencePackage, type EvidencePackageListQuery } from "#contract/evidence-package.ts";
import type { evidence_package } from "#generated/prisma/client.ts";
import { changeRecords } from "#server/audit/change.ts";
import { type Database, newestFirst, type Page, readColumns, readPage, type Tx } from "#server/db/index.ts";
import type { Queue } from "#server/jobs/queue.ts";
import { clock, dateAt, isoTime } from "#server/platform/clock.ts";
import { AppError, notFound } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import type { Auditor } from "../selection.ts";

const { completeAfterMs, storedBytesMax, storedMax, waitingMax } = limits.evidencePackages;

const StoredFilter = stored(DataFlowFilter);
const unreadable: DataFlowFilter = { from: isoTime(0), to: isoTime(0) };

/** An evidence package as the API shows it. */
export function packageOf(row: evidence_package): EvidencePackage {
  const { filter, status, problem } = readColumns(row, {
    filter: [StoredFilter, unreadable],
    status: [EvidencePackage.shape.status, "failed"],
  });
  return {
    ...{ id: row.id, filter, status, requests: row.requests },
    read_until: row.read_until?.toISOString() ?? null,
    file_name: `evidence-${filter.from.slice(0, 10)}-${filter.to.slice(0, 10)}.zip`,
    ...{ size_bytes: row.size_bytes, sha256: row.sha256, failure: row.failure, created_by: row.created_by },
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    problem,
  };
}

/** What the audit log says of a package: nothing that names an end user. */
const audited = ({ from, to, ...others }: DataFlowFilter) => ({
  from,
  to,
  filters: Object.keys(others).sort(),
});

/** Throws CONFLICT if an organisation has too many packages, or too large ones. */
async function assertRoom({ evidence_package }: Tx, org_id: string): Promise<void> {
  const rows = await evidence_package.findMany({
    where: { org_id },
    select: { status: true, size_bytes: true },
  });
  const waiting = rows.filter(({ status }) => status === "waiting" || status === "running").length;
  if (waiting >= waitingMax)
    throw new AppError("CONFLICT", `At most ${waitingMax} evidence packages can wait at a time`);
  if (rows.length - waiting >= storedMax)
    throw new AppError("CONFLICT", `At most ${storedMax} evidence packages can be stored. Delete one first`);
  const bytes = rows.reduce((sum, { size_bytes: size }) => sum + (size ?? 0), 0);
  if (bytes >= storedBytesMax)
    throw new AppError(
      "CONFLICT",
      `Evidence packages of at most ${storedBytesMax} bytes can be stored. Delete one first`,
    );
}

/**
 * Asks for an evidence package, which a job builds. Throws BAD_REQUEST for a period that is not over, CONFLICT if too
 * many are stored or wait.
 */
export async function createPackage(
  { database, queue }: { readonly database: Database; readonly queue: Queue },
  caller: Auditor,
  filter: DataFlowFilter,
): Promise<EvidencePackage> {
  const nowMs = clock.nowMs();
  if (Date.parse(filter.to) > nowMs - completeAfterMs)
    throw new AppError("BAD_REQUEST", `to: must be at least ${completeAfterMs / 60_000} minutes ago`, {
      param: "to",
    });
  const org_id = caller.orgId;
  const created = await changeRecords(database, caller, "evidence_package.create", async (tx) => {
    await assertRoom(tx, org_id);
    const row = await tx.evidence_package.create({
      data: {
        ...{ id: uuidv7(), org_id, filter, status: "waiting" },
        ...{ created_by: caller.userId, created_at: dateAt(nowMs) },
      },
    });
    await queue.enqueue(tx, "build-evidence-package", { id: row.id });
    return { result: packageOf(row), audit: { id: row.id, after: audited(filter) } };
  });
  queue.wake("build-evidence-package");
  return created;
}

/** The row of a package of the caller's organisation. Throws NOT_FOUND. */
export async function findPackage(
  { evidence_package }: Pick<Tx, "evidence_package">,
  { orgId }: Auditor,
  id: string,
): Promise<evidence_package> {
  const row = await evidence_package.findFirst({ where: { id, org_id: orgId } });
  if (!row) throw notFound("evidence package", "id");
  return row;
}

/** One evidence package of the caller's organisation. Throws NOT_FOUND. */
export const getPackage = async (
  { prisma }: Database,
  caller: Auditor,
  id: string,
): Promise<EvidencePackage> => packageOf(await findPackage(prisma, caller, id));

/** Evidence packages of the caller's organisation, newest first. */
export function listPackages(
  { prisma }: Database,
  { orgId }: Auditor,
  window: EvidencePackageListQuery,
): Promise<Page<EvidencePackage>> {
  const where = { org_id: orgId };
  return readPage(window, {
    rows: (chosen) => prisma.evidence_package.findMany({ where, orderBy: newestFirst, ...chosen }),
    count: () => prisma.evidence_package.count({ where }),
    toWire: (rows) => rows.map(packageOf),
  });
}

/** Deletes an evidence package; one that is not ready is not built any more. Throws NOT_FOUND. */
export async function deletePackage(database: Database, caller: Auditor, id: string): Promise<void> {
  await changeRecords(database, caller, "evidence_package.delete", async (tx) => {
    const row = await findPackage(tx, caller, id);
    await tx.evidence_package.delete({ where: { id } });
    return { result: undefined, audit: { id, before: audited(packageOf(row).filter) } };
  });
}

/** Deletes evidence packages that have expired. */
export async function purgeExpiredPackages({ prisma }: Database): Promise<void> {
  await prisma.evidence_package.deleteMany({ where: { expires_at: { lt: dateAt(clock.nowMs()) } } });
}

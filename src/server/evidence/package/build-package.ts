import type { evidence_package } from "#generated/prisma/client.ts";
import type { Database } from "#server/db/index.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { partWriter } from "./archive-parts.ts";
import type { PackageBounds } from "./bounds.ts";
import { packageOf } from "./packages.ts";
import { type PackageDeps, writePackage } from "./write-package.ts";

const { attemptsMax, retentionMs } = limits.evidencePackages;

type Attempt = Pick<evidence_package, "id" | "attempt">;

/** Changes a package unless it was deleted, or another process has begun it again. Returns whether it did. */
async function change(
  { prisma }: Database,
  { id, attempt }: Attempt,
  data: Partial<Omit<evidence_package, "filter">>,
): Promise<boolean> {
  const { count } = await prisma.evidence_package.updateMany({
    where: { id, attempt, status: "running" },
    data,
  });
  return count === 1;
}

/** Whether a package is still built by this attempt. */
const isCurrent = async ({ prisma }: Database, { id, attempt }: Attempt): Promise<boolean> =>
  (await prisma.evidence_package.count({ where: { id, attempt, status: "running" } })) === 1;

async function begin({ prisma }: Database, id: string): Promise<evidence_package | null> {
  const [row] = await prisma.evidence_package.updateManyAndReturn({
    where: { id, status: { in: ["waiting", "running"] } },
    data: { status: "running", attempt: { increment: 1 }, requests: 0, read_until: null },
  });
  if (!row) return null;
  await prisma.evidence_package_part.deleteMany({ where: { package_id: id, attempt: { lt: row.attempt } } });
  return row;
}

async function end(
  database: Database,
  attempt: Attempt,
  data: Partial<Omit<evidence_package, "filter">>,
): Promise<void> {
  const nowMs = clock.nowMs();
  await change(database, attempt, {
    ...data,
    ...{ completed_at: dateAt(nowMs), expires_at: dateAt(nowMs + retentionMs) },
  });
}

async function fail(database: Database, attempt: Attempt, failure: string): Promise<void> {
  await end(database, attempt, { status: "failed", failure });
  const { id: package_id } = attempt;
  await database.prisma.evidence_package_part.deleteMany({ where: { package_id } });
}

/**
 * The job that builds an evidence package. An attempt that was interrupted is repeated from the beginning; parts of an
 * earlier one are never mixed with it. A package that was deleted meanwhile is given up.
 */
export async function buildPackage(
  deps: PackageDeps,
  { id }: { readonly id: string },
  signal: AbortSignal,
  bounds: PackageBounds = limits.evidencePackages.bounds,
): Promise<void> {
  const { database } = deps;
  const row = await begin(database, id);
  if (!row) return;
  if (row.attempt > attemptsMax)
    return fail(database, row, "It could not be built. The log of the server has the reason.");
  const { filter, problem } = packageOf(row);
  if (problem !== null) return fail(database, row, `Its filter cannot be read: ${problem}`);
  const parts = partWriter(database, row, bounds);
  try {
    const requests = await writePackage(deps, {
      orgId: row.org_id,
      filter,
      bounds,
      write: parts.write,
      onProgress: async ({ requests, readUntil }) => {
        signal.throwIfAborted();
        if (!(await change(database, row, { requests, read_until: dateAt(Date.parse(readUntil)) })))
          throw new Error("The package was deleted, or is built by another process");
      },
    });
    const { sizeBytes: size_bytes, sha256 } = await parts.end();
    await end(database, row, { status: "ready", requests, size_bytes, sha256 });
  } catch (error) {
    // Deleted, or begun again by another process.
    if (!(await isCurrent(database, row))) return;
    if (error instanceof AppError && error.code === "BAD_REQUEST") return fail(database, row, error.message);
    throw error;
  }
}

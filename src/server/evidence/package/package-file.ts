import type { Database } from "#server/db/index.ts";
import { AppError, notFound } from "#server/platform/errors.ts";
import type { Auditor } from "../selection.ts";
import { findPackage, packageOf } from "./packages.ts";

/** The archive of a package. */
export interface PackageFile {
  readonly name: string;
  readonly sizeBytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
  /** Its bytes come in parts, whose numbers begin at 0. Throws NOT_FOUND if the package was deleted meanwhile. */
  readPart(number: number): Promise<Buffer>;
}

/** The archive of a package of the caller's organisation. Throws NOT_FOUND, CONFLICT if it is not ready. */
export async function openPackageFile(
  { prisma }: Database,
  caller: Auditor,
  id: string,
): Promise<PackageFile> {
  const row = await findPackage(prisma, caller, id);
  const { attempt, size_bytes: sizeBytes, sha256 } = row;
  if (row.status !== "ready" || sizeBytes === null || sha256 === null)
    throw new AppError(
      "CONFLICT",
      "The evidence package is not ready. GET /evidence-packages/{id} shows its status",
    );
  return {
    ...{ name: packageOf(row).file_name, sizeBytes, sha256 },
    async readPart(number) {
      const found = await prisma.evidence_package_part.findFirst({
        where: { package_id: id, attempt, number, package: { org_id: caller.orgId } },
      });
      if (!found) throw notFound("evidence package", "id");
      return Buffer.from(found.content);
    },
  };
}

import { Deleted, data, dataList } from "#contract/common.ts";
import {
  EvidencePackage,
  EvidencePackageCreate,
  EvidencePackageId,
  EvidencePackageListQuery,
} from "#contract/evidence-package.ts";
import { createPackage, deletePackage, getPackage, listPackages } from "#server/evidence/index.ts";
import { permitted, rest, router } from "../trpc.ts";

const tag = "Evidence";

export const evidencePackagesRouter = router({
  create: permitted("audit:read", "organisation")
    .meta(
      rest("POST", "/evidence-packages", {
        summary: "Build an evidence package",
        description:
          "The report of a period with every request as a ZIP archive, for auditors: a readable report (HTML, PDF), the same as " +
          "JSON, requests as CSV, and the decisions, facts and the checkpoint of the transparency log that prove them. It is " +
          "built in the background: `GET /evidence-packages/{id}` shows the progress, `GET /evidence-packages/{id}/file` returns " +
          "the archive for 7 days. The same period and filter give the same bytes again. At most 1,000,000 requests, of a " +
          "period that ended at least 10 minutes ago.",
        tag,
        status: 201,
        example: { from: "2026-11-03T00:00:00Z", to: "2026-11-06T00:00:00Z", provider: "sandbox-fr" },
        audit: { action: "evidence_package.create", configuration: false },
        idempotent: true,
      }),
    )
    .input(EvidencePackageCreate)
    .output(data(EvidencePackage))
    .mutation(async ({ ctx: { services, caller }, input }) => ({
      data: await createPackage(services, caller, input),
    })),

  get: permitted("audit:read", "organisation")
    .meta(
      rest("GET", "/evidence-packages/{id}", {
        summary: "Get an evidence package",
        description: "Its progress, and the size and the SHA-256 of the archive.",
        tag,
        errors: [404],
      }),
    )
    .input(EvidencePackageId)
    .output(data(EvidencePackage))
    .query(async ({ ctx: { services, caller }, input }) => ({
      data: await getPackage(services.database, caller, input.id),
    })),

  list: permitted("audit:read", "organisation")
    .meta(
      rest("GET", "/evidence-packages", {
        summary: "List evidence packages",
        description: "Newest first.",
        tag,
      }),
    )
    .input(EvidencePackageListQuery)
    .output(dataList(EvidencePackage))
    .query(({ ctx: { services, caller }, input }) => listPackages(services.database, caller, input)),

  delete: permitted("audit:read", "organisation")
    .meta(
      rest("DELETE", "/evidence-packages/{id}", {
        summary: "Delete an evidence package",
        description:
          "One that is not ready is not built any more. Others are deleted 7 days after they were ready.",
        tag,
        audit: { action: "evidence_package.delete", configuration: false },
        errors: [404],
      }),
    )
    .input(EvidencePackageId)
    .output(Deleted)
    .mutation(async ({ ctx: { services, caller }, input }) => {
      await deletePackage(services.database, caller, input.id);
      return { data: { success: true } };
    }),
});

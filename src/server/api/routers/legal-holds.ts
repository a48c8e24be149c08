import { data, dataList } from "#contract/common.ts";
import { LegalHold, LegalHoldCreate, LegalHoldId, LegalHoldListQuery } from "#contract/legal-hold.ts";
import { createLegalHold, listLegalHolds, releaseLegalHold } from "#server/subjects/index.ts";
import { permitted, rest, router } from "../trpc.ts";

const tag = "Evidence";

export const legalHoldsRouter = router({
  create: permitted("data_subjects:write", "organisation")
    .meta(
      rest("POST", "/legal-holds", {
        summary: "Set a legal hold",
        description:
          "Forbids deleting data that a legal claim needs (GDPR Art. 17(3)(e)): of an end user, a person or an API key, or of the " +
          "organisation if none is named. Until the release, erasures of them get 409, and their requests and stored prompts and " +
          "answers are not deleted, also if they are older than the retention or expired.",
        tag,
        status: 201,
        example: { name: "Case 17", end_user: "ada@example.eu" },
        audit: { action: "legal_hold.create", configuration: false },
        idempotent: true,
        errors: [404, 409],
      }),
    )
    .input(LegalHoldCreate)
    .output(data(LegalHold))
    .mutation(async ({ ctx: { services, caller }, input }) => ({
      data: await createLegalHold(services, caller, input),
    })),

  list: permitted("data_subjects:write", "organisation")
    .meta(
      rest("GET", "/legal-holds", {
        summary: "List legal holds",
        description: "Newest first, also released ones.",
        tag,
      }),
    )
    .input(LegalHoldListQuery)
    .output(dataList(LegalHold))
    .query(({ ctx: { services, caller }, input }) => listLegalHolds(services.database, caller, input)),

  release: permitted("data_subjects:write", "organisation")
    .meta(
      rest("POST", "/legal-holds/{id}/release", {
        summary: "Release a legal hold",
        description:
          "Ends a legal hold. What is older than the retention, or expired, is deleted by the next run of the jobs that do so.",
        tag,
        audit: { action: "legal_hold.release", configuration: false },
        errors: [404, 409],
      }),
    )
    .input(LegalHoldId)
    .output(data(LegalHold))
    .mutation(async ({ ctx: { services, caller }, input }) => ({
      data: await releaseLegalHold(services.database, caller, input.id),
    })),
});

import { data, dataList } from "#contract/common.ts";
import { Erasure, ErasureCreate, ErasureId, ErasureListQuery } from "#contract/data-subjects.ts";
import { createErasure, getErasure, listErasures } from "#server/evidence/index.ts";
import { permitted, rest, router } from "../trpc.ts";

const tag = "Evidence";

export const erasuresRouter = router({
  create: permitted("data_subjects:write", "organisation")
    .meta(
      rest("POST", "/erasures", {
        summary: "Erase data of a person",
        description:
          "Counts what is stored about an end user, a person or an API key, and with `dry_run: false` erases it permanently (GDPR " +
          "Art. 17): stored prompts and answers, waiting traces, and what records of requests say of persons. Amounts and " +
          "receipts stay valid. It is done in the background: `GET /erasures/{id}` shows the progress. It is repeated after " +
          "a day for requests that were in progress.",
        tag,
        status: 201,
        example: { end_user: "ada@example.eu", dry_run: true, reference: "DSR-2026-17" },
        audit: { action: "erasure.create", configuration: false },
        idempotent: true,
        errors: [404],
      }),
    )
    .input(ErasureCreate)
    .output(data(Erasure))
    .mutation(async ({ ctx: { services, caller }, input }) => ({
      data: await createErasure(services, caller, input),
    })),

  get: permitted("data_subjects:write", "organisation")
    .meta(
      rest("GET", "/erasures/{id}", {
        summary: "Get an erasure",
        description: "Its progress, and what was found and erased.",
        tag,
        errors: [404],
      }),
    )
    .input(ErasureId)
    .output(data(Erasure))
    .query(async ({ ctx: { services, caller }, input }) => ({
      data: await getErasure(services.database, caller, input.id),
    })),

  list: permitted("data_subjects:write", "organisation")
    .meta(
      rest("GET", "/erasures", {
        summary: "List erasures",
        description:
          "Newest first, dry runs included. With `end_user`, `user_id` or `api_key_id`: only those of this subject, although the " +
          "subject itself is not stored.",
        tag,
      }),
    )
    .input(ErasureListQuery)
    .output(dataList(Erasure))
    .query(({ ctx: { services, caller }, input }) => listErasures(services, caller, input)),
});

import { SubjectExport, SubjectExportQuery } from "#contract/data-subjects.ts";
import { exportSubject } from "#server/evidence/index.ts";
import { permitted, rest, router } from "../trpc.ts";

export const dataSubjectsRouter = router({
  export: permitted("data_subjects:write", "organisation")
    .meta(
      rest("POST", "/data-subjects/export", {
        summary: "Export data of a person",
        description:
          "Everything that is stored about an end user, a person or an API key (GDPR Art. 15 and 20): records of their requests, the " +
          "providers that received them, and prompts and answers that were stored. Page by page, newest first. The first page " +
          "of an export is recorded in the audit log.",
        tag: "Evidence",
        errors: [404],
        example: { end_user: "ada@example.eu" },
        audit: { action: "data_subject.export", configuration: false },
      }),
    )
    .input(SubjectExportQuery)
    .output(SubjectExport)
    .mutation(({ ctx: { services, caller }, input }) => exportSubject(services, caller, input)),
});

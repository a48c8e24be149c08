import { z } from "zod";
import { Paging, Timestamp, Uuid } from "./common.ts";
import { DataFlowRequest } from "./data-flows.ts";

export const subjectTypes = ["end_user", "person", "api_key"] as const;
export const SubjectType = z.enum(subjectTypes);
export type SubjectType = z.infer<typeof SubjectType>;

/** Fields of which one names a subject. */
export const subjectFields = {
  end_user: z
    .string()
    .min(1, "must not be empty")
    .max(300, "may have 300 characters at most")
    .regex(/^[^\0]*$/, "must not contain a NUL character")
    .describe("An end user: the field `user` (or `safety_identifier`) of requests.")
    .optional(),
  user_id: Uuid.describe("A person or service account: all requests with their API keys.").optional(),
  api_key_id: Uuid.describe("An API key: all requests with it.").optional(),
};
const fieldNames = ["end_user", "user_id", "api_key_id"] as const;

interface Named {
  readonly end_user?: string | undefined;
  readonly user_id?: string | undefined;
  readonly api_key_id?: string | undefined;
}

/** The fields that name a subject, of which only one may be given. */
export const namedIn = (named: Named) => fieldNames.filter((name) => named[name] !== undefined);

export function oneSubject(named: Named, { addIssue }: z.RefinementCtx): void {
  const [first, second] = namedIn(named);
  const message = "exactly one of end_user, user_id and api_key_id is required";
  if (first === undefined) addIssue({ code: "custom", path: ["end_user"], message });
  else if (second !== undefined) addIssue({ code: "custom", path: [second], message });
}

export const SubjectExportQuery = z
  .strictObject({
    ...subjectFields,
    after: z
      .string()
      .regex(/^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z_[0-9a-f-]{36}$/, "must be the `next` of the page before")
      .describe("`next` of the page before.")
      .optional(),
    limit: z
      .number()
      .int()
      .min(1)
      .max(100)
      .default(20)
      .describe("Maximum number of requests to return, 1 to 100. Long contents make a page shorter."),
  })
  .superRefine(oneSubject);
export type SubjectExportQuery = z.infer<typeof SubjectExportQuery>;

/** What is stored about one request of a subject. */
const SubjectRecord = DataFlowRequest.extend({
  request_id: z.string().describe("ID of the request, which its client may have chosen."),
  app_title: z.string().nullable().describe("The app that sent it; null if it named none."),
  tags: z
    .record(z.string(), z.string())
    .nullable()
    .describe("Values of the organisation's tags; null without any."),
  content: z
    .object({
      input: z.array(z.unknown()).describe("Messages or items of the request."),
      output: z.array(z.unknown()).describe("Messages or items of the answer."),
    })
    .nullable()
    .describe("Prompt and answer; null unless the request was stored (`store: true`)."),
});
export type SubjectRecord = z.infer<typeof SubjectRecord>;

export const SubjectExport = z
  .object({
    data: z
      .array(SubjectRecord)
      .describe(
        "Requests of this page, newest first. A page can have fewer than `limit`, or none, and still have a next one.",
      ),
    next: z.string().nullable().describe("`after` of the next page; null on the last one."),
  })
  .meta({ id: "SubjectExport" });
export type SubjectExport = z.infer<typeof SubjectExport>;

export const ErasureCreate = z
  .strictObject({
    ...subjectFields,
    dry_run: z.boolean().default(true).describe("Only count what would be erased. `true` if omitted."),
    reference: z
      .string()
      .min(1, "must not be empty")
      .max(200, "may have 200 characters at most")
      .describe(
        "Your own reference, such as the number of a case. Do not name the person: it is stored permanently.",
      )
      .optional(),
  })
  .superRefine(oneSubject);
export type ErasureCreate = z.infer<typeof ErasureCreate>;

const Count = z.number().int();

export const ErasureCounts = z.object({
  requests: Count.describe("Requests of the subject."),
  personal_records: Count.describe(
    "Records of requests from which end user, session, app and tags are erased.",
  ),
  stored_responses: Count.describe("Stored responses that are deleted."),
  stored_chat_completions: Count.describe("Stored chat completions that are deleted."),
  conversations: Count.describe("Conversations that are deleted, with their items."),
  conversation_items: Count.describe("Items that are deleted from other conversations."),
  pending_traces: Count.describe("Traces that wait for a destination, or failed, whose content is deleted."),
  usage_rows: Count.describe("Rows of usage by the tag `end_user` that are counted as `(erased)`."),
  budget_counters: Count.describe("Counters of budgets per end user that are renamed to `(erased)`."),
  alert_incidents: Count.describe(
    "Alert incidents about a budget of the end user, in which they are `(erased)`.",
  ),
  evidence_packages: Count.describe(
    "Stored evidence packages of the organisation that are deleted, because they may name the subject.",
  ),
});
export type ErasureCounts = z.infer<typeof ErasureCounts>;

export const erasureStatuses = ["waiting", "running", "done"] as const;

export const Erasure = z
  .object({
    id: Uuid.describe("ID of the erasure."),
    subject_type: SubjectType.describe("What the subject is."),
    subject_hash: z
      .string()
      .describe(
        "Keyed hash of the subject: only this installation can compute it. The subject itself is not stored.",
      ),
    dry_run: z.boolean().describe("Whether it only counts."),
    repeated: z.boolean().describe("Whether it was done again because a backup from before it was restored."),
    reference: z.string().nullable().describe("Your own reference; null without one."),
    status: z.enum(erasureStatuses).describe("`waiting`, `running` or `done`."),
    requests_until: Timestamp.describe("Only requests that began before this time."),
    scanned_until: Timestamp.nullable().describe(
      "Progress: requests that began after this time are done; null before the first step.",
    ),
    counts: ErasureCounts.describe("What was found so far and, unless it is a dry run, erased."),
    destinations: z
      .array(
        z.object({
          id: z.string().describe("ID of the destination."),
          name: z.string().nullable().describe("Name of the destination; null if it was deleted."),
          traces: Count.describe(
            "Traces of these requests that were delivered, or handed over more than three days ago.",
          ),
          with_content: Count.describe("How many of them contained prompt and answer."),
        }),
      )
      .describe("Destinations that received traces of these requests. Delete them there: Portolan cannot."),
    created_by: z.string().describe("ID of the person who asked for it."),
    created_at: Timestamp.describe("When it was asked for."),
    completed_at: Timestamp.nullable().describe("When it was done; null before."),
    problem: z.string().nullable().describe("Why the row cannot be read; null if it can."),
  })
  .meta({ id: "Erasure" });
export type Erasure = z.infer<typeof Erasure>;

export const ErasureListQuery = Paging.extend(subjectFields).superRefine((named, context) => {
  if (namedIn(named).length > 1) oneSubject(named, context);
});
export type ErasureListQuery = z.infer<typeof ErasureListQuery>;

export const ErasureId = z.object({ id: Uuid.describe("ID of the erasure.") });

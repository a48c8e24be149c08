import { z } from "zod";
import { Paging, Timestamp, Uuid } from "./common.ts";
import { namedIn, oneSubject, SubjectType, subjectFields } from "./data-subjects.ts";

const text = (charsMax: number) =>
  z.string().min(1, "must not be empty").max(charsMax, `may have ${charsMax} characters at most`);

export const LegalHoldCreate = z
  .strictObject({
    name: text(100).describe(
      "Name, such as that of a case. Do not name the person: it is stored permanently.",
    ),
    reference: text(200)
      .describe("Your own reference, such as the number of a case. It is stored permanently too.")
      .optional(),
    ...subjectFields,
  })
  .superRefine((named, context) => {
    if (namedIn(named).length > 1) oneSubject(named, context);
  });
export type LegalHoldCreate = z.infer<typeof LegalHoldCreate>;

/** A legal hold: what it concerns is not deleted while it is in force. */
export const LegalHold = z
  .object({
    id: Uuid.describe("ID of the legal hold."),
    name: z.string().describe("Its name."),
    reference: z.string().nullable().describe("Your own reference; null without one."),
    subject_type: SubjectType.nullable().describe(
      "Whose data it holds: `end_user`, `person` or `api_key`; null for all data of the organisation.",
    ),
    subject: z
      .string()
      .nullable()
      .describe(
        "The end user, or the ID of the person or key; null for all data of the organisation, and after the release.",
      ),
    subject_hash: z
      .string()
      .nullable()
      .describe("Keyed hash of the subject, as erasures have it: it remains after the release."),
    created_by: z.string().describe("ID of the person who set it."),
    created_at: Timestamp.describe("When it was set."),
    released_by: z
      .string()
      .nullable()
      .describe("ID of the person who released it; null while it is in force."),
    released_at: Timestamp.nullable().describe("When it was released; null while it is in force."),
    problem: z.string().nullable().describe("Why the row cannot be read; null if it can."),
  })
  .meta({ id: "LegalHold" });
export type LegalHold = z.infer<typeof LegalHold>;

export const LegalHoldListQuery = Paging;
export type LegalHoldListQuery = z.infer<typeof LegalHoldListQuery>;

export const LegalHoldId = z.object({ id: Uuid.describe("ID of the legal hold.") });

import { z } from "zod";
import { data, Paging, Timestamp, Uuid } from "./common.ts";
import { EuroText } from "./identity.ts";
import { KeyLimit } from "./key.ts";
import { EmailAddress, InvitationLink } from "./member.ts";

export const OrganisationName = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(100, "may have 100 characters at most");

/** The caller's organisation. */
export const Organisation = z.object({
  id: Uuid,
  name: z.string(),
  slug: z.string(),
  plan: z.string(),
  created_at: Timestamp,
});
export type Organisation = z.infer<typeof Organisation>;

/** How long data is stored, in days; null = forever. */
export const RetentionRow = z.object({
  what: z.enum([
    "generations",
    "refusals",
    "ledger",
    "audit_log",
    "responses",
    "deliveries_done",
    "deliveries_failed",
    "idempotency",
  ]),
  days: z.number().nullable(),
  /** The setting of the installation that decides it; null where nobody chooses. */
  setting: z.string().nullable(),
});
export type RetentionRow = z.infer<typeof RetentionRow>;

/** An organisation as who runs the installation sees it: who it is, and nothing of what it asked. */
export const ManagedOrganisation = z
  .object({
    id: Uuid.describe("ID of the organisation."),
    name: z.string().describe("Name of the organisation."),
    slug: z.string().describe("Short name used in links and traces; it never changes."),
    plan: z.string().describe("Plan of the organisation, such as `self_hosted`."),
    state: z.enum(["active", "suspended"]).describe("Whether the organisation is active or suspended."),
    suspended_at: Timestamp.nullable().describe("Time it was suspended; null if it is not."),
    suspended_reason: z.string().nullable().describe("Reason it was suspended; null if it is not."),
    people: z.number().int().describe("Number of members who are people; service accounts do not count."),
    owners: z.number().int().describe("Number of owners who are not disabled."),
    balance: EuroText.describe("Remaining credit in euros, with six decimals."),
    is_operator: z
      .boolean()
      .describe("Whether it runs the installation and so can be neither suspended nor deleted."),
    created_at: Timestamp.describe("Time the organisation was created."),
  })
  .meta({ id: "Organisation" });
export type ManagedOrganisation = z.infer<typeof ManagedOrganisation>;

export const ManagedOrganisationQuery = Paging.extend({
  search: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(100, "may have 100 characters at most")
    .describe("Only organisations whose name contains this text, ignoring case.")
    .optional(),
});
export type ManagedOrganisationQuery = z.infer<typeof ManagedOrganisationQuery>;

export const OrganisationCreate = z.strictObject({
  name: OrganisationName.describe("Name of the organisation."),
  owner_email: EmailAddress.describe("E-mail address that is invited as the first owner."),
  credit: KeyLimit.refine((amount) => amount > 0, "must be more than 0")
    .optional()
    .describe("Starting credit in euros, up to six decimals; none if omitted."),
});
export type OrganisationCreate = z.infer<typeof OrganisationCreate>;

/** With the link of its owner's invitation. */
export const CreatedOrganisation = data(ManagedOrganisation).extend({ link: InvitationLink });
export type CreatedOrganisation = z.infer<typeof CreatedOrganisation>;

const id = Uuid.describe("ID of the organisation.");

export const OrganisationUpdate = z.strictObject({
  id,
  name: OrganisationName.describe("New name of the organisation."),
});
export type OrganisationUpdate = z.infer<typeof OrganisationUpdate>;

export const OrganisationSuspend = z.strictObject({
  id,
  reason: z
    .string()
    .trim()
    .min(3, "must say why, in 3 or more characters")
    .max(500, "may have 500 characters at most")
    .describe("Reason, shown to the members of the organisation."),
});
export type OrganisationSuspend = z.infer<typeof OrganisationSuspend>;

export const OrganisationDelete = z.strictObject({
  id,
  name: z
    .string()
    .max(100, "may have 100 characters at most")
    .describe("Name of the organisation, as a safeguard: if sent, it must match.")
    .optional(),
});
export type OrganisationDelete = z.infer<typeof OrganisationDelete>;

export const OwnerInvitation = z.strictObject({
  id,
  email: EmailAddress.describe("E-mail address to invite as an owner."),
});
export type OwnerInvitation = z.infer<typeof OwnerInvitation>;

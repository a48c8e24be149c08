import { z } from "zod";
import { data, Paging, Timestamp, Uuid } from "./common.ts";
import { EuroText } from "./identity.ts";
import { KeyLimit } from "./key.ts";
import { EmailAddress } from "./member.ts";

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

/** How long something is kept, in days; null = for good. */
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
    id: Uuid,
    name: z.string(),
    slug: z.string(),
    plan: z.string(),
    state: z.enum(["active", "suspended"]),
    suspended_at: Timestamp.nullable(),
    suspended_reason: z.string().nullable(),
    /** Members who are people, service accounts apart. */
    people: z.number().int(),
    /** Owners who are not shut out. Without one an owner can be invited. */
    owners: z.number().int(),
    /** Credit that is left, in euros. */
    balance: EuroText,
    /** The one that runs the installation: it can be neither suspended nor deleted. */
    is_operator: z.boolean(),
    created_at: Timestamp,
  })
  .meta({ id: "Organisation" });
export type ManagedOrganisation = z.infer<typeof ManagedOrganisation>;

export const ManagedOrganisationQuery = Paging.extend({
  search: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(100, "may have 100 characters at most")
    .optional()
    .describe("A part of the name"),
});
export type ManagedOrganisationQuery = z.infer<typeof ManagedOrganisationQuery>;

export const OrganisationCreate = z.strictObject({
  name: OrganisationName,
  owner_email: EmailAddress,
  /** Starting credit in euros; none when it is left out. */
  credit: KeyLimit.refine((amount) => amount > 0, "must be more than 0").optional(),
});
export type OrganisationCreate = z.infer<typeof OrganisationCreate>;

/** `link` is the owner's, there this once when the installation sends no mail; it is then yours to pass on. */
export const CreatedOrganisation = data(ManagedOrganisation).extend({ link: z.string().nullable() });
export type CreatedOrganisation = z.infer<typeof CreatedOrganisation>;

export const OrganisationUpdate = z.strictObject({ id: Uuid, name: OrganisationName });
export type OrganisationUpdate = z.infer<typeof OrganisationUpdate>;

export const OrganisationSuspend = z.strictObject({
  id: Uuid,
  reason: z
    .string()
    .trim()
    .min(3, "must say why, in 3 or more characters")
    .max(500, "may have 500 characters at most"),
});
export type OrganisationSuspend = z.infer<typeof OrganisationSuspend>;

export const OrganisationDelete = z.strictObject({
  id: Uuid,
  /** Where it is sent, it has to be the organisation's name: to be sure which one is meant. */
  name: z.string().max(100, "may have 100 characters at most").optional(),
});
export type OrganisationDelete = z.infer<typeof OrganisationDelete>;

export const OwnerInvitation = z.strictObject({ id: Uuid, email: EmailAddress });
export type OwnerInvitation = z.infer<typeof OwnerInvitation>;

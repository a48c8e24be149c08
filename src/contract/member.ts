import { z } from "zod";
import { data, Timestamp, Uuid } from "./common.ts";
import { Role } from "./permission.ts";

/** Somebody of an organisation: a person, or a service account whose keys are used by machines. */
export const Member = z
  .object({
    user_id: Uuid,
    kind: z.enum(["person", "service"]),
    name: z.string(),
    /** `null` for a service account. */
    email: z.string().nullable(),
    role: Role,
    /** Neither sessions nor keys act for the organisation meanwhile. */
    disabled: z.boolean(),
    created_at: Timestamp,
  })
  .meta({ id: "Member" });
export type Member = z.infer<typeof Member>;

/** Only what is sent changes. */
export const MemberUpdate = z.strictObject({
  user_id: Uuid,
  role: Role.optional(),
  disabled: z.boolean().optional(),
});
export type MemberUpdate = z.infer<typeof MemberUpdate>;

export const EmailAddress = z
  .email("must be an e-mail address")
  .max(254, "may have 254 characters at most")
  .transform((text) => text.toLowerCase());

export const PersonName = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(100, "may have 100 characters at most");

/** The same bounds wherever a password is chosen. */
export const NewPassword = z
  .string()
  .min(8, "must have at least 8 characters")
  .max(128, "may have 128 characters at most");

/** Somebody asked to join who has not answered yet. */
export const Invitation = z
  .object({ id: Uuid, email: z.string(), role: Role, created_at: Timestamp, expires_at: Timestamp })
  .meta({ id: "Invitation" });
export type Invitation = z.infer<typeof Invitation>;

export const InvitationCreate = z.strictObject({ email: EmailAddress, role: Role.default("member") });
export type InvitationCreate = z.infer<typeof InvitationCreate>;

/** `link` is there, this once, when the installation sends no mail; it is then yours to pass on. */
export const SentInvitation = data(Invitation).extend({ link: z.string().nullable() });
export type SentInvitation = z.infer<typeof SentInvitation>;

export const InvitationToken = z.string().regex(/^[\w-]{43}$/, "must be the token of an invitation link");

/** What whoever holds the link may know of it. */
export const InvitationView = z.object({
  organisation: z.string(),
  email: z.string(),
  role: Role,
  expires_at: Timestamp,
  /**
   * The address has an account already, which must be signed in to accept. Told to who shows that the address is
   * theirs: by a link that was mailed to it, or signed in. `null` to others, who may have invited it to find that out.
   */
  has_account: z.boolean().nullable(),
});
export type InvitationView = z.infer<typeof InvitationView>;

/** `name` and `password` are for those who have no account yet. */
export const InvitationAcceptance = z.strictObject({
  token: InvitationToken,
  name: PersonName.optional(),
  password: NewPassword.optional(),
});
export type InvitationAcceptance = z.infer<typeof InvitationAcceptance>;

/** A member of kind `service`: no e-mail address, no way of signing in, only keys. */
export const ServiceAccount = z
  .object({
    user_id: Uuid,
    name: z.string(),
    role: Role,
    /** Keys that are not disabled. */
    keys: z.number().int().min(0),
    created_at: Timestamp,
  })
  .meta({ id: "ServiceAccount" });
export type ServiceAccount = z.infer<typeof ServiceAccount>;

/** A machine never owns an organisation. */
export const ServiceAccountCreate = z.strictObject({
  name: PersonName,
  role: Role.exclude(["owner"], { error: "must be admin, member or viewer" }).default("member"),
});
export type ServiceAccountCreate = z.infer<typeof ServiceAccountCreate>;

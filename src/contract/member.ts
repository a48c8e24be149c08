import { z } from "zod";
import { data, Timestamp, Uuid } from "./common.ts";
import { Role } from "./permission.ts";

export const MemberKind = z.enum(["person", "service"]);

/** Somebody of an organisation: a person, or a service account whose keys are used by machines. */
export const Member = z
  .object({
    user_id: Uuid.describe("ID of the user or service account."),
    kind: MemberKind.describe("Whether the member is a person or a service account."),
    name: z.string().describe("Name of the member."),
    email: z.string().nullable().describe("E-mail address; null for a service account."),
    role: Role.describe("Role in the organisation."),
    disabled: z
      .boolean()
      .describe("Whether the member is locked out: their sessions and keys cannot act for the organisation."),
    problem: z
      .string()
      .nullable()
      .describe(
        "Why the stored role cannot be read, so that the member has no permission; null if it can be read.",
      ),
    created_at: Timestamp.describe("Time the member joined."),
  })
  .meta({ id: "Member" });
export type Member = z.infer<typeof Member>;

/** A member as OpenRouter's clients read those of a workspace. */
export const WorkspaceMember = z
  .object({
    id: Uuid.describe("Same as `user_id`."),
    user_id: Uuid.describe("ID of the user or service account."),
    workspace_id: Uuid.describe("ID of the workspace."),
    role: z
      .enum(["admin", "member"])
      .describe("`admin` for owners and admins of the organisation, `member` for all others."),
    created_at: Timestamp.describe("Time the member joined the organisation."),
  })
  .meta({ id: "WorkspaceMember" });
export type WorkspaceMember = z.infer<typeof WorkspaceMember>;

/** A person as OpenRouter's clients read those of an organisation. */
export const OrganisationPerson = z
  .object({
    id: Uuid.describe("ID of the user."),
    email: z.string().describe("E-mail address."),
    first_name: z.string().describe("Name of the person."),
    last_name: z.null().describe("Always null; `first_name` is the complete name."),
    role: z
      .enum(["org:admin", "org:member"])
      .describe("`org:admin` for owners and admins, `org:member` for all others."),
  })
  .meta({ id: "OrganisationPerson" });
export type OrganisationPerson = z.infer<typeof OrganisationPerson>;

/** Only what is sent changes. */
export const MemberUpdate = z.strictObject({
  user_id: Uuid.describe("User ID of the member."),
  role: Role.optional().describe("New role; a service account cannot be `owner`."),
  disabled: z
    .boolean()
    .optional()
    .describe("Whether the member is locked out: their sessions and keys cannot act for the organisation."),
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
  .object({
    id: Uuid.describe("ID of the invitation."),
    email: z.string().describe("E-mail address the invitation is for."),
    role: Role.describe("Role the person will have."),
    problem: z.string().nullable().describe("Why the stored role cannot be read; null if it can be read."),
    created_at: Timestamp.describe("Time the invitation was created."),
    expires_at: Timestamp.describe("Time the invitation link expires."),
  })
  .meta({ id: "Invitation" });
export type Invitation = z.infer<typeof Invitation>;

export const InvitationCreate = z.strictObject({
  email: EmailAddress.describe("E-mail address to invite, stored in lower case."),
  role: Role.default("member").describe("Role the person will have."),
});
export type InvitationCreate = z.infer<typeof InvitationCreate>;

/** The link of a new invitation, for the inviting person to share. */
export const InvitationLink = z
  .string()
  .nullable()
  .describe("Invitation link to pass on, returned only once; null when it was sent by e-mail.");

export const SentInvitation = data(Invitation).extend({ link: InvitationLink });
export type SentInvitation = z.infer<typeof SentInvitation>;

export const InvitationToken = z
  .string()
  .regex(/^[\w-]{43}$/, "must be the token of an invitation link")
  .describe("Token of the invitation link: the part after `#`.");

/** What the holder of the link may know of it. */
export const InvitationView = z.object({
  organisation: z.string().describe("Name of the organisation."),
  email: z.string().describe("E-mail address the invitation is for."),
  role: Role.describe("Role the person will have."),
  expires_at: Timestamp.describe("Time the invitation link expires."),
  // Others may have invited the address to find that out.
  has_account: z
    .boolean()
    .nullable()
    .describe(
      "Whether the address already has an account, which must be signed in to accept; null unless the link was " +
        "mailed to the address or the caller is signed in with it.",
    ),
});
export type InvitationView = z.infer<typeof InvitationView>;

export const InvitationAcceptance = z.strictObject({
  token: InvitationToken,
  name: PersonName.optional().describe(
    "Name of the new account; required if the address has no account yet.",
  ),
  password: NewPassword.optional().describe(
    "Password of the new account; required if the address has no account yet.",
  ),
});
export type InvitationAcceptance = z.infer<typeof InvitationAcceptance>;

/** A member of kind `service`: no e-mail address, no way of signing in, only keys. */
export const ServiceAccount = z
  .object({
    user_id: Uuid.describe("ID of the service account."),
    name: z.string().describe("Name of the service account."),
    role: Role.describe("Role in the organisation."),
    keys: z.number().int().min(0).describe("Number of its API keys that are not disabled."),
    problem: z
      .string()
      .nullable()
      .describe(
        "Why the stored role cannot be read, so that its keys have no permission; null if it can be read.",
      ),
    created_at: Timestamp.describe("Time the service account was created."),
  })
  .meta({ id: "ServiceAccount" });
export type ServiceAccount = z.infer<typeof ServiceAccount>;

/** A machine never owns an organisation. */
export const ServiceAccountCreate = z.strictObject({
  name: PersonName.describe("Name of the service account."),
  role: Role.exclude(["owner"], { error: "must be admin, member or viewer" })
    .default("member")
    .describe("Role in the organisation; bounds the permissions of its keys."),
});
export type ServiceAccountCreate = z.infer<typeof ServiceAccountCreate>;

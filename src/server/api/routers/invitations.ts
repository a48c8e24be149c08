import { z } from "zod";
import { Deleted, data, dataList, Uuid } from "#contract/common.ts";
import {
  Invitation,
  InvitationAcceptance,
  InvitationCreate,
  InvitationToken,
  InvitationView,
  SentInvitation,
} from "#contract/member.ts";
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  resendInvitation,
  revokeInvitation,
  viewInvitation,
} from "#server/accounts/index.ts";
import { anyone, deleted, permitted, rest, router } from "../trpc.ts";

const tag = "Members";
const id = Uuid.describe("ID of the invitation.");

export const invitationsRouter = router({
  list: permitted("members:read", "organisation")
    .meta(
      rest("GET", "/invitations", {
        summary: "List pending invitations",
        description: "Those that were not accepted, including expired ones, newest first.",
        tag,
      }),
    )
    .input(z.object({}))
    .output(dataList(Invitation))
    .query(async ({ ctx }) => {
      const invitations = await listInvitations(ctx.services.database, ctx.caller);
      return { data: invitations, total_count: invitations.length };
    }),

  create: permitted("members:write", "organisation")
    .meta(
      rest("POST", "/invitations", {
        summary: "Invite a person by e-mail",
        description:
          "The invitation works once, for seven days; inviting the address again replaces it. Nobody can invite to a " +
          "role with permissions they lack, and a key with limits cannot invite. If the " +
          "installation sends no mail, this answer contains `link`, once, for you to share.",
        tag,
        status: 201,
        errors: [409],
        example: { email: "grace@example.eu", role: "member" },
        audit: { action: "invitation.create", configuration: false },
      }),
    )
    .input(InvitationCreate)
    .output(SentInvitation)
    .mutation(async ({ ctx: { services, caller }, input }) => createInvitation(services, caller, input)),

  resend: permitted("members:write", "organisation")
    .meta(
      rest("POST", "/invitations/{id}/resend", {
        summary: "Send an invitation again",
        description: "With a new link, for another seven days; the earlier link stops working.",
        tag,
        errors: [404],
        audit: { action: "invitation.resend", configuration: false },
      }),
    )
    .input(z.strictObject({ id }))
    .output(SentInvitation)
    .mutation(async ({ ctx: { services, caller }, input }) => resendInvitation(services, caller, input.id)),

  revoke: permitted("members:write", "organisation")
    .meta(
      rest("DELETE", "/invitations/{id}", {
        summary: "Withdraw an invitation",
        description: "Its link no longer works.",
        tag,
        errors: [404],
        audit: { action: "invitation.delete", configuration: false },
      }),
    )
    .input(z.object({ id }))
    .output(Deleted)
    .mutation(async ({ ctx: { services, caller }, input }) => {
      await revokeInvitation(services.database, caller, input.id);
      return deleted;
    }),

  view: anyone
    .meta(
      rest("POST", "/invitations/view", {
        opaque: ["token"],
        summary: "Get the invitation of a link",
        description:
          "A POST although it changes nothing, so that the token is not in addresses and their logs.",
        tag,
        public: true,
        errors: [404],
        example: { token: "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG" },
        audit: { none: "it changes nothing; it is a POST so that the token is not in addresses" },
      }),
    )
    .input(z.strictObject({ token: InvitationToken }))
    .output(data(InvitationView.describe("The invitation.")))
    .mutation(async ({ ctx: { services, person }, input }) => ({
      data: await viewInvitation(services.database, input.token, person ?? null),
    })),

  accept: anyone
    .meta(
      rest("POST", "/invitations/accept", {
        opaque: ["token", "password"],
        summary: "Accept an invitation",
        description:
          "With `name` and `password` if the address has no account. A person with an account signs in to the console " +
          "and accepts there.",
        tag,
        public: true,
        errors: [401, 403, 404],
        example: {
          token: "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG",
          name: "Grace Hopper",
          password: "a password of your own",
        },
        audit: { action: "member.join", configuration: false },
      }),
    )
    .input(InvitationAcceptance)
    .output(
      data(
        z
          .object({ email: z.string().describe("E-mail address of the account that joined.") })
          .describe("The account that joined."),
      ),
    )
    .mutation(async ({ ctx: { services, person }, input }) => ({
      data: await acceptInvitation(services.database, person ?? null, input),
    })),
});

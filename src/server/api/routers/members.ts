import { z } from "zod";
import { Deleted, data, dataList, Paging, Uuid } from "#contract/common.ts";
import { Member, MemberUpdate, OrganisationPerson, WorkspaceMember } from "#contract/member.ts";
import { WorkspaceRef } from "#contract/workspace.ts";
import {
  leaveOrganisation,
  listMembers,
  listOrganisationPeople,
  listWorkspaceMembers,
  removeMember,
  updateMember,
} from "#server/accounts/index.ts";
import { deleted, permitted, rest, router } from "../trpc.ts";

const tag = "Members";

export const membersRouter = router({
  list: permitted("members:read", "organisation")
    .meta(
      rest("GET", "/members", {
        summary: "List the members of the organisation",
        description: "People and service accounts, in the order they joined.",
        tag,
      }),
    )
    .input(z.object({}))
    .output(dataList(Member))
    .query(async ({ ctx }) => {
      const members = await listMembers(ctx.services.database, ctx.caller);
      return { data: members, total_count: members.length };
    }),

  people: permitted("members:read", "organisation")
    .meta(
      rest("GET", "/organization/members", {
        summary: "List the people of the organisation as OpenRouter's clients read them",
        description: "`GET /members` lists service accounts too.",
        tag,
      }),
    )
    .input(Paging)
    .output(dataList(OrganisationPerson))
    .query(({ ctx, input }) => listOrganisationPeople(ctx.services.database, ctx.caller, input)),

  ofWorkspace: permitted("members:read", "organisation")
    .meta(
      rest("GET", "/workspaces/{id}/members", {
        summary: "List the members of a workspace",
        description: "Every member of the organisation belongs to each of its workspaces.",
        tag,
        errors: [404],
      }),
    )
    .input(Paging.extend({ id: WorkspaceRef }))
    .output(dataList(WorkspaceMember))
    .query(({ ctx, input }) => listWorkspaceMembers(ctx.services.database, ctx.caller, input)),

  update: permitted("members:write", "organisation")
    .meta(
      rest("PATCH", "/members/{user_id}", {
        summary: "Change a member's role, or suspend the member",
        description:
          "Takes effect within two seconds, for sessions and API keys alike. Nobody can grant a role with permissions they " +
          "lack, or decide about a member who has them. The last owner cannot be changed (409).",
        tag,
        errors: [404, 409],
        example: { role: "viewer" },
        audit: { action: "member.update", configuration: true },
      }),
    )
    .input(MemberUpdate)
    .output(data(Member))
    .mutation(async ({ ctx: { services, caller }, input }) => ({
      data: await updateMember(services.database, caller, input),
    })),

  remove: permitted("members:write", "organisation")
    .meta(
      rest("DELETE", "/members/{user_id}", {
        summary: "Remove a person from the organisation",
        description:
          "Their API keys of this organisation are disabled and their pending invitations withdrawn. The last owner " +
          "stays (409).",
        tag,
        errors: [404, 409],
        audit: { action: "member.remove", configuration: true },
      }),
    )
    .input(z.object({ user_id: Uuid.describe("User ID of the member.") }))
    .output(Deleted)
    .mutation(async ({ ctx: { services, caller }, input }) => {
      await removeMember(services.database, caller, input.user_id);
      return deleted;
    }),

  leave: permitted("members:read", "organisation")
    .meta({ audit: { action: "member.remove", configuration: true } })
    .output(Deleted)
    .mutation(async ({ ctx: { services, caller } }) => {
      await leaveOrganisation(services.database, caller);
      return deleted;
    }),
});

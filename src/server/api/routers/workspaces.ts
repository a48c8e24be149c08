import { z } from "zod";
import { DeletedForClients, data, dataList } from "#contract/common.ts";
import {
  Workspace,
  WorkspaceCreate,
  WorkspaceListQuery,
  WorkspaceRef,
  WorkspaceUpdate,
} from "#contract/workspace.ts";
import {
  createWorkspace,
  getWorkspace,
  listWorkspaces,
  removeWorkspace,
  updateWorkspace,
} from "#server/accounts/index.ts";
import { deleted, permitted, rest, router } from "../trpc.ts";

const tag = "Workspaces";
const ById = z.object({ id: WorkspaceRef });

export const workspacesRouter = router({
  list: permitted("workspaces:read", "workspace")
    .meta(rest("GET", "/workspaces", { summary: "List workspaces", description: "By name.", tag }))
    .input(WorkspaceListQuery)
    .output(dataList(Workspace))
    .query(({ ctx, input }) => listWorkspaces(ctx.services.database, ctx.caller, input)),

  create: permitted("workspaces:write", "organisation")
    .meta(
      rest("POST", "/workspaces", {
        summary: "Create a workspace",
        description:
          "A part of the organisation with its own keys and rules. `limit` is what all its keys together may " +
          "spend, in euros, in total or per day, week or month.",
        tag,
        status: 201,
        errors: [409],
        example: { name: "Research", limit: 100, limit_reset: "monthly" },
        idempotent: true,
        audit: { action: "workspace.create", configuration: false },
      }),
    )
    .input(WorkspaceCreate)
    .output(data(Workspace))
    .mutation(async ({ ctx, input }) => ({
      data: await createWorkspace(ctx.services.database, ctx.caller, input),
    })),

  get: permitted("workspaces:read", "workspace")
    .meta(
      rest("GET", "/workspaces/{id}", {
        summary: "Get a workspace",
        description: "With its limit and the total cost of its keys.",
        tag,
        errors: [404],
      }),
    )
    .input(ById)
    .output(data(Workspace))
    .query(async ({ ctx, input }) => ({
      data: await getWorkspace(ctx.services.database, ctx.caller, input.id),
    })),

  update: permitted("workspaces:write", "organisation")
    .meta(
      rest("PATCH", "/workspaces/{id}", {
        summary: "Change a workspace",
        description: "Changes only the fields that are sent; `null` clears.",
        tag,
        errors: [404, 409],
        example: { name: "Research and teaching", limit: 250 },
        audit: { action: "workspace.update", configuration: true },
      }),
    )
    .input(WorkspaceUpdate)
    .output(data(Workspace))
    .mutation(async ({ ctx: { services, caller }, input }) => ({
      data: await updateWorkspace(services.database, caller, input),
    })),

  remove: permitted("workspaces:write", "organisation")
    .meta(
      rest("DELETE", "/workspaces/{id}", {
        summary: "Delete a workspace",
        description:
          "Refused with 409 while keys, rules or destinations belong to it; `metadata.used_by` counts them.",
        tag,
        errors: [404, 409],
        audit: { action: "workspace.delete", configuration: true },
      }),
    )
    .input(ById)
    .output(DeletedForClients)
    .mutation(async ({ ctx: { services, caller }, input }) => {
      await removeWorkspace(services.database, caller, input.id);
      return deleted;
    }),
});

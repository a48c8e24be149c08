import { Deleted, data, dataList } from "#contract/common.ts";
import {
  Preset,
  PresetBySlug,
  PresetCreate,
  PresetListQuery,
  PresetUpdate,
  PresetVersion,
  PresetVersionBySlug,
  PresetVersionsQuery,
  PresetWithVersion,
} from "#contract/preset.ts";
import {
  createPreset,
  deletePreset,
  deleteVersion,
  getPreset,
  getVersion,
  listPresets,
  listVersions,
  restoreVersion,
  updatePreset,
} from "#server/presets/index.ts";
import { catalogueFor } from "../catalogue-for.ts";
import { deleted, permitted, rest, router } from "../trpc.ts";

const tag = "Presets";

export const presetsRouter = router({
  list: permitted("workspaces:read", "workspace")
    .meta(
      rest("GET", "/presets", {
        summary: "List presets",
        description: "The presets you can use, the newest first, without what they set.",
        tag,
      }),
    )
    .input(PresetListQuery)
    .output(dataList(Preset))
    .query(({ ctx, input }) => listPresets(ctx.services.database, ctx.caller, input)),

  create: permitted("workspaces:write", "workspace")
    .meta(
      rest("POST", "/presets", {
        summary: "Create a preset",
        description:
          "A preset sets what requests leave out: models, provider preferences, parameters and a system prompt that " +
          "precedes their messages. Requests use it with `preset`, or with the model `@preset/name`, from the next " +
          "second on. Routing rules, the models a key may use, and limits apply to the result.",
        tag,
        status: 201,
        errors: [404, 409],
        example: {
          name: "support",
          description: "Answers customers.",
          system_prompt: "You answer customers of a bookshop, briefly and politely.",
          config: { models: ["sandbox/chat"], temperature: 0.3, max_tokens: 500 },
        },
        idempotent: true,
        audit: { action: "preset.create", configuration: true },
      }),
    )
    .input(PresetCreate)
    .output(data(PresetWithVersion))
    .mutation(async ({ ctx: { services, caller }, input }) => ({
      data: await createPreset(services.database, catalogueFor(services, caller), caller, input),
    })),

  get: permitted("workspaces:read", "workspace")
    .meta(
      rest("GET", "/presets/{slug}", {
        summary: "Get a preset",
        description: "With its current version.",
        tag,
        errors: [404],
      }),
    )
    .input(PresetBySlug)
    .output(data(PresetWithVersion))
    .query(async ({ ctx, input }) => ({
      data: await getPreset(ctx.services.database, ctx.caller, input.slug),
    })),

  update: permitted("workspaces:write", "workspace")
    .meta(
      rest("PATCH", "/presets/{slug}", {
        summary: "Change a preset",
        description:
          "Another system prompt or configuration becomes a new version, which requests use from the next second on; " +
          "earlier versions never change. `config` is replaced completely. Without a difference there is no new version.",
        tag,
        errors: [404, 409],
        example: { config: { models: ["sandbox/chat"], temperature: 0.2 } },
        audit: { action: "preset.update", configuration: true },
      }),
    )
    .input(PresetUpdate)
    .output(data(PresetWithVersion))
    .mutation(async ({ ctx: { services, caller }, input }) => ({
      data: await updatePreset(services.database, catalogueFor(services, caller), caller, input),
    })),

  remove: permitted("workspaces:write", "workspace")
    .meta(
      rest("DELETE", "/presets/{slug}", {
        summary: "Delete a preset",
        description: "With all of its versions. Requests that name it are refused. This cannot be undone.",
        tag,
        errors: [404],
        audit: { action: "preset.delete", configuration: true },
      }),
    )
    .input(PresetBySlug)
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      await deletePreset(ctx.services.database, ctx.caller, input.slug);
      return deleted;
    }),

  versions: permitted("workspaces:read", "workspace")
    .meta(
      rest("GET", "/presets/{slug}/versions", {
        summary: "List the versions of a preset",
        description: "The newest first, 50 unless `limit` says otherwise.",
        tag,
        errors: [404],
      }),
    )
    .input(PresetVersionsQuery)
    .output(dataList(PresetVersion))
    .query(({ ctx, input }) => listVersions(ctx.services.database, ctx.caller, input)),

  version: permitted("workspaces:read", "workspace")
    .meta(
      rest("GET", "/presets/{slug}/versions/{version}", {
        summary: "Get a version of a preset",
        description: "What the version sets. It never changes.",
        tag,
        errors: [404],
      }),
    )
    .input(PresetVersionBySlug)
    .output(data(PresetVersion))
    .query(async ({ ctx, input }) => ({
      data: await getVersion(ctx.services.database, ctx.caller, input),
    })),

  restore: permitted("workspaces:write", "workspace")
    .meta(
      rest("POST", "/presets/{slug}/versions/{version}/restore", {
        summary: "Restore a version of a preset",
        description: "Creates a new version with the content of an old one, which becomes the current one.",
        tag,
        errors: [404, 409],
        audit: { action: "preset.restore", configuration: true },
      }),
    )
    .input(PresetVersionBySlug)
    .output(data(PresetWithVersion))
    .mutation(async ({ ctx, input }) => ({
      data: await restoreVersion(ctx.services.database, ctx.caller, input),
    })),

  removeVersion: permitted("workspaces:write", "workspace")
    .meta(
      rest("DELETE", "/presets/{slug}/versions/{version}", {
        summary: "Delete an old version of a preset",
        description: "Requests that name the version are refused. The current version cannot be deleted.",
        tag,
        errors: [404, 409],
        audit: { action: "preset.delete_version", configuration: true },
      }),
    )
    .input(PresetVersionBySlug)
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      await deleteVersion(ctx.services.database, ctx.caller, input);
      return deleted;
    }),
});

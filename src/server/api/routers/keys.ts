import { z } from "zod";
import { DeletedForClients, data, dataList } from "#contract/common.ts";
import {
  ApiKey,
  ApiKeyCreate,
  ApiKeyListQuery,
  ApiKeyUpdate,
  CreatedKey,
  KeyHash,
  NamedKey,
} from "#contract/key.ts";
import { createKey, getKey, listKeys, nameKeys, removeKey, updateKey } from "#server/keys/index.ts";
import { deleted, permitted, rest, router } from "../trpc.ts";

const tag = "API keys";
const ByHash = z.object({ hash: KeyHash.describe("Hash of the key.") });

export const keysRouter = router({
  list: permitted("keys:read", "workspace")
    .meta(
      rest("GET", "/keys", {
        summary: "List API keys",
        description: "The keys you can see, newest first. Disabled ones only on request.",
        tag,
      }),
    )
    .input(ApiKeyListQuery)
    .output(dataList(ApiKey))
    .query(({ ctx, input }) => listKeys(ctx.services.database, ctx.caller, input)),

  /** The names of all keys, for the console's filters. */
  names: permitted("keys:read", "workspace")
    .input(z.object({}))
    .output(data(z.array(NamedKey)))
    .query(async ({ ctx }) => ({ data: await nameKeys(ctx.services.database, ctx.caller) })),

  create: permitted("keys:write", "workspace")
    .meta(
      rest("POST", "/keys", {
        summary: "Create an API key",
        description:
          "The key itself is in this answer only. It never exceeds its creator: permissions, models, " +
          "limit, expiry and workspace are checked against yours. A key created by another key ends with it; one created by a " +
          "limited key spends from that limit.",
        tag,
        status: 201,
        errors: [404],
        example: {
          name: "Search service",
          limit: 25,
          limit_reset: "monthly",
          allowed_models: ["sandbox/chat"],
        },
        idempotent: true,
        audit: { action: "api_key.create", configuration: true },
      }),
    )
    .input(ApiKeyCreate)
    .output(CreatedKey)
    .mutation(({ ctx: { services, caller }, input }) =>
      createKey(services.database, caller, services.config.KEY_PREFIX, input),
    ),

  get: permitted("keys:read", "workspace")
    .meta(
      rest("GET", "/keys/{hash}", {
        summary: "Get an API key",
        description: "With its limits and costs, without the key itself.",
        tag,
        errors: [404],
      }),
    )
    .input(ByHash)
    .output(data(ApiKey))
    .query(async ({ ctx, input }) => ({ data: await getKey(ctx.services.database, ctx.caller, input.hash) })),

  update: permitted("keys:write", "workspace")
    .meta(
      rest("PATCH", "/keys/{hash}", {
        summary: "Change an API key",
        description:
          "Changes only the fields that are sent; `null` clears. `disabled: true` stops the key everywhere within two seconds. Any " +
          "other change requires every permission that the key then has.",
        tag,
        errors: [404],
        example: { disabled: true },
        audit: { action: "api_key.update", configuration: true },
      }),
    )
    .input(ApiKeyUpdate)
    .output(data(ApiKey))
    .mutation(async ({ ctx: { services, caller }, input }) => ({
      data: await updateKey(services.database, caller, input),
    })),

  remove: permitted("keys:write", "workspace")
    .meta(
      rest("DELETE", "/keys/{hash}", {
        summary: "Revoke an API key permanently",
        description:
          "It stops within two seconds everywhere, with everything it created: keys, open invitations and codes. Its " +
          "costs remain on record.",
        tag,
        errors: [404],
        audit: { action: "api_key.delete", configuration: true },
      }),
    )
    .input(ByHash)
    .output(DeletedForClients)
    .mutation(async ({ ctx: { services, caller }, input }) => {
      await removeKey(services.database, caller, input.hash);
      return deleted;
    }),
});

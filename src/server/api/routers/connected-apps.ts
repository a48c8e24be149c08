import { z } from "zod";
import { Deleted, dataList, Paging } from "#contract/common.ts";
import { ConnectedApp } from "#contract/connected-app.ts";
import { AppHost } from "#contract/key.ts";
import { listConnectedApps, removeConnectedApp } from "#server/keys/index.ts";
import { deleted, permitted, rest, router } from "../trpc.ts";

const tag = "Key issuance";

export const connectedAppsRouter = router({
  list: permitted("keys:read", "workspace")
    .meta(
      rest("GET", "/connected-apps", {
        summary: "List connected apps",
        description:
          "The applications that people gave keys to, by host, with the costs of these keys. " +
          "`GET /keys?app_host=` lists the keys of one.",
        tag,
      }),
    )
    .input(Paging)
    .output(dataList(ConnectedApp))
    .query(({ ctx, input }) => listConnectedApps(ctx.services.database, ctx.caller, input)),

  remove: permitted("keys:write", "workspace")
    .meta(
      rest("DELETE", "/connected-apps/{host}", {
        summary: "Remove a connected app",
        description:
          "Revokes every key of it that you can see, all or none, and its codes that were not exchanged. The keys " +
          "stop within two seconds everywhere. Their costs remain on record.",
        tag,
        errors: [404],
        audit: { action: "connected_app.remove", configuration: true },
      }),
    )
    .input(z.object({ host: AppHost.describe("Host of the app, as listed.") }))
    .output(Deleted)
    .mutation(async ({ ctx: { services, caller }, input }) => {
      await removeConnectedApp(services.database, caller, input.host);
      return deleted;
    }),
});

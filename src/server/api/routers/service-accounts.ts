import { z } from "zod";
import { Deleted, data, dataList, Uuid } from "#contract/common.ts";
import { ServiceAccount, ServiceAccountCreate } from "#contract/member.ts";
import { createServiceAccount, listServiceAccounts, removeServiceAccount } from "#server/accounts/index.ts";
import { deleted, permitted, rest, router } from "../trpc.ts";

const tag = "Members";

export const serviceAccountsRouter = router({
  list: permitted("members:read", "organisation")
    .meta(
      rest("GET", "/service-accounts", {
        summary: "List service accounts",
        description: "Those of the organisation, oldest first, with how many active keys each has.",
        tag,
      }),
    )
    .input(z.object({}))
    .output(dataList(ServiceAccount))
    .query(async ({ ctx }) => {
      const accounts = await listServiceAccounts(ctx.services.database, ctx.caller);
      return { data: accounts, total_count: accounts.length };
    }),

  create: permitted("members:write", "organisation")
    .meta(
      rest("POST", "/service-accounts", {
        summary: "Create a service account",
        description:
          "A member for machines, without e-mail address and sign-in. Create its keys with `POST /keys` and " +
          "`service_account_id`; they outlive the person who created them.",
        tag,
        status: 201,
        example: { name: "Search backend", role: "member" },
        audit: { action: "service_account.create", configuration: false },
      }),
    )
    .input(ServiceAccountCreate)
    .output(data(ServiceAccount))
    .mutation(async ({ ctx, input }) => ({
      data: await createServiceAccount(ctx.services.database, ctx.caller, input),
    })),

  remove: permitted("members:write", "organisation")
    .meta(
      rest("DELETE", "/service-accounts/{user_id}", {
        summary: "Delete a service account and its keys",
        description: "Its API keys stop within two seconds everywhere. Their costs remain on record.",
        tag,
        errors: [404],
        audit: { action: "service_account.delete", configuration: true },
      }),
    )
    .input(z.object({ user_id: Uuid.describe("ID of the service account.") }))
    .output(Deleted)
    .mutation(async ({ ctx: { services, caller }, input }) => {
      await removeServiceAccount(services.database, caller, input.user_id);
      return deleted;
    }),
});

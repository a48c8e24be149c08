import { z } from "zod";
import { data } from "#contract/common.ts";
import { Credits, Identity } from "#contract/identity.ts";
import { KeyInfo } from "#contract/key.ts";
import { identityOf } from "#server/accounts/index.ts";
import { readBalance } from "#server/billing/index.ts";
import { describeKey } from "#server/keys/index.ts";
import { decimalFromPico, type Pico } from "#server/platform/money.ts";
import { authenticated, rest, router } from "../trpc.ts";

const tag = "Identity";
const euro = (amount: Pico): string => decimalFromPico(amount, 6);

export const identityRouter = router({
  me: authenticated
    .meta(rest("GET", "/me", { summary: "Who the key acts for, and the credit that is left", tag }))
    .input(z.object({}))
    .output(Identity)
    .query(async ({ ctx: { services, caller } }) => {
      const [account, { granted, used }] = await Promise.all([
        identityOf(services.database, caller),
        readBalance(services.database, caller.orgId),
      ]);
      return {
        user_id: caller.userId,
        email: account.email,
        org_name: account.orgName,
        org_id: caller.orgId,
        plan: account.plan,
        credits: { balance: euro(granted - used), total_credits: euro(granted), total_usage: euro(used) },
      };
    }),

  credits: authenticated
    .meta(rest("GET", "/credits", { summary: "The organisation's credits in euros", tag }))
    .input(z.object({}))
    .output(data(Credits))
    .query(async ({ ctx: { services, caller } }) => {
      const { granted, used } = await readBalance(services.database, caller.orgId);
      return { data: { total_credits: euro(granted), total_usage: euro(used) } };
    }),

  key: authenticated
    .meta(rest("GET", "/key", { summary: "What the key may do and has spent", tag }))
    .input(z.object({}))
    .output(data(KeyInfo))
    .query(async ({ ctx }) => ({ data: await describeKey(ctx.services.database, ctx.caller) })),
});

import { z } from "zod";
import { data } from "#contract/common.ts";
import { CreditGrant, CreditGrantCreate, Credits, Identity } from "#contract/identity.ts";
import { KeyInfo } from "#contract/key.ts";
import { workspaceOf } from "#server/access/scope.ts";
import { identityOf } from "#server/accounts/index.ts";
import { grantCredit, readBalance } from "#server/billing/index.ts";
import { describeKey } from "#server/keys/index.ts";
import { decimalFromPico, type Pico, picoFromDecimal } from "#server/platform/money.ts";
import { authenticated, operated, rest, router } from "../trpc.ts";

const tag = "Identity";
const euro = (amount: Pico): string => decimalFromPico(amount, 6);

export const identityRouter = router({
  me: authenticated("none")
    .meta(
      rest("GET", "/me", {
        summary: "Get the key's owner and the remaining credit",
        description:
          "The user or service account that owns the key, its organisation, and the organisation's credit.",
        tag,
      }),
    )
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
        credits:
          workspaceOf(caller) === null
            ? { balance: euro(granted - used), total_credits: euro(granted), total_usage: euro(used) }
            : null,
      };
    }),

  credits: authenticated("organisation")
    .meta(
      rest("GET", "/credits", {
        summary: "Get the organisation's credits in euros",
        description: "The credit granted so far and how much of it was used.",
        tag,
      }),
    )
    .input(z.object({}))
    .output(data(Credits))
    .query(async ({ ctx: { services, caller } }) => {
      const { granted, used } = await readBalance(services.database, caller.orgId);
      return { data: { total_credits: Number(euro(granted)), total_usage: Number(euro(used)) } };
    }),

  grantCredits: operated("billing:write")
    .meta(
      rest("POST", "/credits/grants", {
        summary: "Grant an organisation credit",
        description:
          "The amount is in euros; the reason is recorded in the ledger and the audit log. Only for the organisation that runs " +
          "the installation.",
        tag,
        status: 201,
        idempotent: true,
        example: { reason: "Budget of the third quarter", amount: 50 },
        audit: { action: "credit.grant", configuration: false },
      }),
    )
    .input(CreditGrantCreate)
    .output(data(CreditGrant))
    .mutation(async ({ ctx: { services, caller }, input: { amount, reason } }) => {
      const { database } = services;
      const granted = picoFromDecimal(amount);
      const id = await database.transaction((tx) => grantCredit(tx, caller, caller.orgId, granted, reason));
      const balance = await readBalance(database, caller.orgId);
      return { data: { id, amount: euro(granted), reason, balance: euro(balance.granted - balance.used) } };
    }),

  key: authenticated("none")
    .meta(
      rest("GET", "/key", {
        summary: "Get the permissions and spending of the key",
        description: "Permissions, models, limits and costs of the API key that sends the request.",
        tag,
      }),
    )
    .input(z.object({}))
    .output(data(KeyInfo))
    .query(async ({ ctx: { services, caller } }) => ({
      data: await describeKey(services.database, caller, services.config.RATE_LIMIT_KEY),
    })),
});

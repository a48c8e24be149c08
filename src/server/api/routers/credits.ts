import { data } from "#contract/common.ts";
import {
  CreditAdjustment,
  CreditRefund,
  LedgerPage,
  LedgerQuery,
  LedgerTransferMade,
} from "#contract/credit.ts";
import type { Operator } from "#server/accounts/index.ts";
import { adjustCredit, listTransfers, refundGeneration } from "#server/billing/index.ts";
import type { Tx } from "#server/db/index.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import type { Context } from "../context.ts";
import { operated, permitted, rest, router } from "../trpc.ts";

const tag = "Credits";
const errors = [404, 409, 413, 415];

interface Correction {
  readonly org_id?: string | undefined;
  readonly reason: string;
}

/** Corrects the credit of an organisation, by default the caller's own, as the operator. */
async function correct(
  { services: { database }, caller }: Context & { readonly caller: Operator<"billing:write"> },
  { org_id, reason }: Correction,
  write: (
    tx: Tx,
    operator: Operator<"billing:write">,
    to: { orgId: string; reason: string },
  ) => Promise<string>,
): Promise<{ data: { id: string } }> {
  const to = { orgId: org_id ?? caller.orgId, reason };
  return { data: { id: await database.transaction((tx) => write(tx, caller, to)) } };
}

export const creditsRouter = router({
  transfers: permitted("activity:read", "organisation")
    .input(LedgerQuery)
    .output(LedgerPage)
    .query(({ ctx, input }) => listTransfers(ctx.services.database, ctx.caller, input)),

  adjust: operated("billing:write")
    .meta(
      rest("POST", "/credits/adjustments", {
        summary: "Adjust an organisation's credit",
        description:
          "A correction with a reason, recorded in the ledger. Credit that is used or reserved cannot be deducted. " +
          "Only for the organisation that runs the installation.",
        tag,
        status: 201,
        errors,
        example: { amount_eur: "25.00", reason: "Invoice 2026-117 was paid" },
        audit: { action: "credit.adjust", configuration: false },
      }),
    )
    .input(CreditAdjustment)
    .output(data(LedgerTransferMade))
    .mutation(({ ctx, input }) => {
      const amount = picoFromDecimal(input.amount_eur);
      return correct(ctx, input, (tx, caller, to) => adjustCredit(tx, caller, { ...to, amount }));
    }),

  refund: operated("billing:write")
    .meta(
      rest("POST", "/credits/refunds", {
        summary: "Refund a generation",
        description:
          "Once for each generation. Its record and the reports keep the cost; the ledger gets a refund. " +
          "Only for the organisation that runs the installation.",
        tag,
        status: 201,
        errors,
        example: { generation_id: "0190a000-0000-7000-8000-000000000000", reason: "The answer was cut" },
        audit: { action: "credit.refund", configuration: false },
      }),
    )
    .input(CreditRefund)
    .output(data(LedgerTransferMade))
    .mutation(({ ctx, input: { generation_id: generationId, ...input } }) =>
      correct(ctx, input, (tx, caller, to) => refundGeneration(tx, caller, { ...to, generationId })),
    ),
});

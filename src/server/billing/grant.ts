import { record } from "#server/audit/record.ts";
import type { Caller } from "#server/auth/caller.ts";
import type { Tx } from "#server/db/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { decimalFromPico, type Pico } from "#server/platform/money.ts";

const accountKinds = ["credits", "usage", "granted"] as const;

/** Gives an organisation credit: out of `granted`, into `credits`, with its reason; opens its accounts if need be. */
export async function grantCredit(
  tx: Tx,
  caller: Caller,
  orgId: string,
  amount: Pico,
  reason: string,
): Promise<void> {
  await tx.ledger_account.createMany({
    data: accountKinds.map((kind) => ({ org_id: orgId, kind })),
    skipDuplicates: true,
  });
  const accounts = await tx.ledger_account.findMany({
    where: { org_id: orgId },
    select: { id: true, kind: true },
  });
  const transactionId = uuidv7();
  const entry = (kind: (typeof accountKinds)[number], signed: Pico) => {
    const account = accounts.find((candidate) => candidate.kind === kind);
    if (!account) throw new Error(`Organisation ${orgId} has no ledger account ${kind}`);
    return {
      transaction_id: transactionId,
      account_id: account.id,
      amount_pico_eur: signed.toString(),
      kind: "grant",
      reason,
    };
  };
  await tx.ledger_entry.createMany({ data: [entry("credits", amount), entry("granted", -amount)] });
  await tx.credit_balance.upsert({
    where: { org_id: orgId },
    create: { org_id: orgId, granted_pico_eur: amount.toString() },
    update: { granted_pico_eur: { increment: amount.toString() } },
  });
  await record(tx, caller, {
    action: "credit.grant",
    subject: { type: "organisation", id: orgId },
    after: { amount_eur: decimalFromPico(amount, 6), reason },
  });
}

import type { CreditManager } from "#server/accounts/index.ts";
import { record } from "#server/audit/record.ts";
import type { Tx } from "#server/db/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { decimalFromPico, type Pico } from "#server/platform/money.ts";

/** Gives an organisation credit, with its reason. Returns the id of the transfer. */
export async function grantCredit(
  tx: Tx,
  caller: CreditManager,
  orgId: string,
  amount: Pico,
  reason: string,
): Promise<string> {
  const id = uuidv7();
  await tx.ledger_transfer.create({
    data: {
      id,
      org_id: orgId,
      from_account: "granted",
      to_account: "credits",
      amount_pico_eur: amount.toString(),
      kind: "grant",
      reason,
    },
  });
  await tx.credit_balance.upsert({
    where: { account_id: orgId },
    create: { account_id: orgId, granted_pico_eur: amount.toString() },
    update: { granted_pico_eur: { increment: amount.toString() } },
  });
  await record(tx, caller, {
    action: "credit.grant",
    subject: { type: "ledger_transfer", id },
    after: { amount_eur: decimalFromPico(amount, 6), reason },
  });
  return id;
}

import type { CreditManager } from "#server/accounts/index.ts";
import { record } from "#server/audit/record.ts";
import { isUniqueViolation, type Tx } from "#server/db/index.ts";
import { AppError, notFound } from "#server/platform/errors.ts";
import { uuidv5, uuidv7 } from "#server/platform/ids.ts";
import { decimalFromPico, type Pico } from "#server/platform/money.ts";

interface Correction {
  readonly orgId: string;
  readonly reason: string;
}

/**
 * Adds to an organisation's credit, or deducts what is neither used nor leased. Throws NOT_FOUND for an unknown
 * organisation, CONFLICT if there is less to deduct.
 */
export async function adjustCredit(
  tx: Tx,
  caller: CreditManager,
  { orgId, reason, amount }: Correction & { readonly amount: Pico },
): Promise<string> {
  if (!(await tx.organisation.findUnique({ where: { id: orgId } }))) throw notFound("organisation", "org_id");
  await tx.credit_balance.createMany({ data: [{ account_id: orgId }], skipDuplicates: true });
  const changed = await tx.$executeRaw`
    update credit_balance set granted_pico_eur = granted_pico_eur + ${amount.toString()}::numeric
    where account_id = ${orgId}::uuid and (${amount.toString()}::numeric >= 0
      or granted_pico_eur - used_pico_eur - leased_pico_eur + ${amount.toString()}::numeric >= 0)`;
  if (changed === 0)
    throw new AppError("CONFLICT", "The organisation has less credit that is neither used nor reserved", {
      param: "amount_eur",
    });
  const id = uuidv7();
  const added = amount >= 0n;
  await tx.ledger_transfer.create({
    data: {
      id,
      org_id: orgId,
      from_account: added ? "granted" : "credits",
      to_account: added ? "credits" : "granted",
      amount_pico_eur: (added ? amount : -amount).toString(),
      kind: "adjustment",
      reason,
    },
  });
  await record(tx, caller, {
    action: "credit.adjust",
    subject: { type: "organisation", id: orgId },
    after: { amount_eur: decimalFromPico(amount, 6), reason },
  });
  return id;
}

/** The namespace of refund ids: each generation has at most one refund. */
const refundNamespace = "0d4a0c6e-6f0b-4a55-9b8e-6f2f0e7f3a11";

/**
 * Refunds the cost of a generation once. Throws NOT_FOUND if the organisation has no such charge, CONFLICT if it was
 * refunded before. Its record and the reports do not change.
 */
export async function refundGeneration(
  tx: Tx,
  caller: CreditManager,
  { orgId, reason, generationId }: Correction & { readonly generationId: string },
): Promise<string> {
  const charge = await tx.ledger_transfer.findFirst({
    where: { id: generationId, org_id: orgId, kind: "usage" },
  });
  if (!charge) throw notFound("charge", "generation_id");
  const id = uuidv5(refundNamespace, generationId);
  try {
    await tx.ledger_transfer.create({
      data: {
        id,
        org_id: orgId,
        from_account: "usage",
        to_account: "credits",
        amount_pico_eur: charge.amount_pico_eur,
        kind: "refund",
        reason,
      },
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError("CONFLICT", "This charge was refunded before", { param: "generation_id" });
  }
  await tx.credit_balance.update({
    where: { account_id: orgId },
    data: { used_pico_eur: { decrement: charge.amount_pico_eur } },
  });
  await record(tx, caller, {
    action: "credit.refund",
    subject: { type: "generation", id: generationId },
    after: {
      org_id: orgId,
      amount_eur: decimalFromPico(BigInt(charge.amount_pico_eur.toFixed(0)), 6),
      reason,
    },
  });
  return id;
}

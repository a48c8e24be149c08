import { z } from "zod";
import { AskedTime, Timestamp, Uuid } from "./common.ts";

const Reason = z.string().trim().min(3, "must say why, in 3 or more characters").max(500);
const org_id = Uuid.optional().describe("ID of the organisation; the caller's own if omitted.");

export const CreditAdjustment = z.strictObject({
  org_id,
  amount_eur: z
    .string({ error: 'must be a decimal in quotes, such as "25.00" or "-5"' })
    .regex(/^-?\d{1,9}(\.\d{1,12})?$/, 'must be a decimal such as "25.00" or "-5"')
    .refine((text) => Number(text) !== 0, { error: "must not be 0" })
    .describe('Amount in euros as a decimal string, negative to take credit away, such as "25.00" or "-5".'),
  reason: Reason.describe("Reason for the adjustment, recorded in the ledger and the audit log."),
});

export const CreditRefund = z.strictObject({
  org_id,
  generation_id: Uuid.describe("ID of the generation to refund."),
  reason: Reason.describe("Reason for the refund, recorded in the ledger and the audit log."),
});

export const LedgerTransferMade = z
  .object({ id: Uuid.describe("ID of the transfer in the ledger.") })
  .describe("The transfer that was made.");

/** What moves an organisation's credit. Without a schema of its own: the console's screen chooses from it. */
export const transferKinds = ["grant", "adjustment", "refund", "usage", "usage_total"] as const;
export const TransferKind = z.enum(transferKinds);

/** The place of a transfer in the ledger: everything after it is older. */
const LedgerCursor = z.object({ created_at: AskedTime, id: Uuid });

export const LedgerQuery = z.object({
  kind: TransferKind.optional(),
  after: LedgerCursor.optional(),
  limit: z.number().int().min(1).max(100).default(50),
});
export type LedgerQuery = z.infer<typeof LedgerQuery>;

/** One transfer as it moved the credit: `amount_eur` is below zero for what was taken. */
export const LedgerTransfer = z.object({
  /** The generation's for usage. */
  id: Uuid,
  created_at: Timestamp,
  kind: TransferKind,
  amount_eur: z.string(),
  /** Why somebody moved it; usage has no reason but its generation. */
  reason: z.string().nullable(),
});
export type LedgerTransfer = z.infer<typeof LedgerTransfer>;

export const LedgerPage = z.object({ data: z.array(LedgerTransfer), next: LedgerCursor.nullable() });
export type LedgerPage = z.infer<typeof LedgerPage>;

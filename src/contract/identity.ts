import { z } from "zod";
import { Uuid } from "./common.ts";
import { KeyLimit } from "./key.ts";

/** Euros as text with exactly six fraction digits, such as `"15.000000"`. */
export const EuroText = z.string().regex(/^-?\d+\.\d{6}$/);

const totals = {
  total_credits: EuroText.describe("Total credit granted, in euros with six decimals."),
  total_usage: EuroText.describe("Total credit used, in euros with six decimals; refunds are deducted."),
};
const balance = EuroText.describe("Remaining credit, in euros with six decimals.");

/** As numbers, as OpenRouter's clients read them. */
export const Credits = z
  .object({
    total_credits: z.number().describe("Total credit granted, in euros with up to six decimals."),
    total_usage: z
      .number()
      .describe("Total credit used, in euros with up to six decimals; refunds are deducted."),
  })
  .meta({ id: "Credits" });
export type Credits = z.infer<typeof Credits>;

/** Credit given to the caller's organisation, in euros. */
export const CreditGrantCreate = z.strictObject({
  amount: KeyLimit.refine((amount) => amount > 0, "must be more than 0").describe(
    "Credit to grant, in euros with up to six decimals.",
  ),
  reason: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(500, "may have 500 characters at most")
    .describe("Reason for the grant, recorded in the ledger and the audit log."),
});
export type CreditGrantCreate = z.infer<typeof CreditGrantCreate>;

export const CreditGrant = z
  .object({
    id: Uuid.describe("ID of the grant in the ledger."),
    amount: EuroText.describe("Credit granted, in euros with six decimals."),
    reason: z.string().describe("Reason for the grant."),
    balance,
  })
  .meta({ id: "CreditGrant" });
export type CreditGrant = z.infer<typeof CreditGrant>;

/** Who the key of a request acts for. Not wrapped in `data`. */
export const Identity = z
  .object({
    user_id: z.string().describe("ID of the user or service account that owns the key."),
    email: z.string().nullable().describe("E-mail address of the user; null for a service account."),
    org_name: z.string().describe("Name of the organisation."),
    org_id: Uuid.describe("ID of the organisation."),
    plan: z.string().describe("Plan of the organisation, such as `self_hosted`."),
    credits: z
      .object({ balance, ...totals })
      .nullable()
      .describe("Credit of the organisation; null for a key that belongs to a workspace."),
  })
  .meta({ id: "Identity" });
export type Identity = z.infer<typeof Identity>;

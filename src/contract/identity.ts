import { z } from "zod";
import { Uuid } from "./common.ts";
import { KeyLimit } from "./key.ts";

/** Euros as text with exactly six fraction digits, such as `"15.000000"`. */
export const EuroText = z.string().regex(/^-?\d+\.\d{6}$/);

export const Credits = z.object({ total_credits: EuroText, total_usage: EuroText }).meta({ id: "Credits" });
export type Credits = z.infer<typeof Credits>;

/** Credit given to the caller's organisation, in euros. */
export const CreditGrantCreate = z.strictObject({
  amount: KeyLimit.refine((amount) => amount > 0, "must be more than 0"),
  reason: z.string().trim().min(1, "must not be empty").max(500, "may have 500 characters at most"),
});
export type CreditGrantCreate = z.infer<typeof CreditGrantCreate>;

export const CreditGrant = z
  .object({ id: Uuid, amount: EuroText, reason: z.string(), balance: EuroText })
  .meta({ id: "CreditGrant" });
export type CreditGrant = z.infer<typeof CreditGrant>;

/** Who the key of a request acts for. Not wrapped in `data` (spec.md). */
export const Identity = z
  .object({
    user_id: z.string(),
    email: z.string().nullable(),
    org_name: z.string(),
    org_id: Uuid,
    plan: z.string(),
    /** Of the organisation; `null` for a key that belongs to a workspace. */
    credits: z.object({ balance: EuroText, total_credits: EuroText, total_usage: EuroText }).nullable(),
  })
  .meta({ id: "Identity" });
export type Identity = z.infer<typeof Identity>;

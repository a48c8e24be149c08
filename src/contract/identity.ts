import { z } from "zod";
import { Uuid } from "./common.ts";

/** Euros as text with exactly six fraction digits, such as `"15.000000"`. */
export const EuroText = z.string().regex(/^-?\d+\.\d{6}$/);

export const Credits = z.object({ total_credits: EuroText, total_usage: EuroText }).meta({ id: "Credits" });
export type Credits = z.infer<typeof Credits>;

/** Who the key of a request acts for. Not wrapped in `data` (spec.md). */
export const Identity = z
  .object({
    user_id: z.string(),
    email: z.string().nullable(),
    org_name: z.string(),
    org_id: Uuid,
    plan: z.string(),
    credits: z.object({ balance: EuroText, total_credits: EuroText, total_usage: EuroText }),
  })
  .meta({ id: "Identity" });
export type Identity = z.infer<typeof Identity>;

import { z } from "zod";

/** Whose wish it was: the installation's setting, a rule of some scope, or the request itself. */
export const SetBy = z.object({
  scope: z.enum(["installation", "org", "workspace", "user", "api_key", "request"]),
  rule_id: z.uuid().optional(),
  rule_name: z.string().optional(),
});
export type SetBy = z.infer<typeof SetBy>;

/** Why an endpoint may not serve, and the smallest change of that one wish which would no longer refuse it. */
export const Refusal = z.object({
  field: z.string(),
  wanted: z.unknown(),
  actual: z.unknown(),
  reason: z.enum(["fact_unknown", "fact_expired"]).optional(),
  set_by: SetBy,
  /** Others with the very same wish: each of them would have to change it. */
  also_set_by: z.array(SetBy).optional(),
  /** The value the field would need there; `null` when it would have to be unset; absent when no wish can help. */
  would_admit: z.unknown().optional(),
});
export type Refusal = z.infer<typeof Refusal>;

/** An endpoint that dropped out: the first reason in the usual fields, all of them in `refusals`. */
export const Exclusion = Refusal.extend({
  provider: z.string(),
  endpoint: z.string(),
  /** OpenRouter's word for the field. */
  excluded_by: z.string(),
  /** Every reason; the endpoint is admitted when each `would_admit` of them is followed, by everybody named. */
  refusals: z.array(Refusal),
}).meta({ id: "Exclusion" });
export type Exclusion = z.infer<typeof Exclusion>;

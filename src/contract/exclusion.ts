import { z } from "zod";

/** Whose preference it was: the installation's setting, a rule of some scope, or the request itself. */
export const SetBy = z.object({
  scope: z
    .enum(["installation", "org", "workspace", "user", "api_key", "request"])
    .describe("Origin of the requirement: the installation, a routing rule of this scope, or the request."),
  rule_id: z.uuid().optional().describe("ID of the routing rule; absent when no rule set it."),
  rule_name: z.string().optional().describe("Name of the routing rule; absent when no rule set it."),
});
export type SetBy = z.infer<typeof SetBy>;

/** Why an endpoint may not serve, and the smallest change of that one preference which would no longer refuse it. */
export const Refusal = z.object({
  field: z
    .string()
    .describe("Requirement that is not met, such as `data_residency`, `max_price` or `no_credential`."),
  wanted: z.unknown().describe("Value the requirement asks for."),
  actual: z.unknown().describe("Value of the endpoint; null when it is unknown or does not apply."),
  reason: z
    .enum(["fact_unknown", "fact_expired"])
    .optional()
    .describe(
      "Set when the fact about the endpoint is unknown, or known only from a source that has expired.",
    ),
  set_by: SetBy.describe("Who set the requirement."),
  also_set_by: z
    .array(SetBy)
    .optional()
    .describe("Others who set the same requirement, each of whom would have to change it."),
  would_admit: z
    .unknown()
    .optional()
    .describe(
      "Value of the field that would admit the endpoint; null when the field must be unset, absent when no value would help.",
    ),
});
export type Refusal = z.infer<typeof Refusal>;

/** An endpoint that dropped out: the first reason in the usual fields, all of them in `refusals`. */
export const Exclusion = Refusal.extend({
  provider: z.string().describe("Slug of the provider."),
  endpoint: z.string().describe("ID of the endpoint that was excluded."),
  excluded_by: z
    .string()
    .describe("Code of the first reason, such as `data_region`, `retention` or `allowed_providers`."),
  refusals: z
    .array(Refusal)
    .describe(
      "All reasons. The endpoint is admitted once the `would_admit` of each of them is followed, by everyone named.",
    ),
}).meta({ id: "Exclusion" });
export type Exclusion = z.infer<typeof Exclusion>;

import { z } from "zod";
import { alertKindNames, alertScopes } from "./alert-texts.ts";
import { Uuid, wanted } from "./common.ts";
import { list } from "./list.ts";

/** Whose facts a rule watches. */
export const AlertScope = z.enum(alertScopes, {
  error: "must be organisation or installation",
});
export type AlertScope = z.infer<typeof AlertScope>;

const integerFrom = (
  title: string,
  description: string,
  [min, max]: readonly [number, number],
  byDefault: number,
) =>
  z
    .number(wanted(`a number from ${min} to ${max}`))
    .int("must be a whole number")
    .min(min, `must be ${min} or more`)
    .max(max, `must be ${max} or less`)
    .default(byDefault)
    .describe(description)
    .meta({ title });

const windowMinutes = integerFrom("Period in minutes", "How far back requests count.", [1, 1_440], 15);
const minRequests = (byDefault: number) =>
  integerFrom(
    "Requests at least",
    "With fewer requests in the period no alert opens.",
    [1, 100_000],
    byDefault,
  );
const groupBy = z
  .enum(["all", "model", "provider"], { error: "must be all, model or provider" })
  .default("all")
  .describe("Whether all requests are judged together, or those of each model or provider separately.")
  .meta({ title: "Group by" });

const limitGroups = ["any", "budgets", "keys", "workspaces"] as const;
const watchedLimits = { description: "Which limits are watched.", title: "Limits" };
const budgetId = Uuid.nullable()
  .default(null)
  .describe("ID of the only budget that is watched; null for every one.")
  .meta({ title: "Budget" });

/** The settings of each kind. Every one has a default, so that `{}` is valid. */
export const alertSettings = {
  budget: z.strictObject({
    thresholds: list(
      z
        .number(wanted("a number from 1 to 100"))
        .int("must be a whole number")
        .min(1, "must be 1 or more")
        .max(100, "must be 100 or less"),
    )
      .min(1, "must have one threshold at least")
      .max(10, "may have 10 thresholds at most")
      .refine((all) => new Set(all).size === all.length, "must not be repeated")
      .default([50, 80, 95, 100])
      .describe("Percentages of the budget; each alerts once per period.")
      .meta({ title: "Thresholds in percent" }),
    of: z
      .enum(limitGroups, { error: "must be any, budgets, keys or workspaces" })
      .default("any")
      .meta(watchedLimits),
    budget_id: budgetId,
  }),
  limit_refusals: z.strictObject({
    min_requests: integerFrom(
      "Requests at least",
      "Alerts at this number of refused requests.",
      [1, 100_000],
      10,
    ),
    window_minutes: integerFrom(
      "Period in minutes",
      "How far back refused requests count. Without any in this time the alert is resolved.",
      [1, 1_440],
      5,
    ),
    of: z
      .enum([...limitGroups, "organisation"], {
        error: "must be any, budgets, keys, workspaces or organisation",
      })
      .default("any")
      .meta(watchedLimits),
    budget_id: budgetId,
  }),
  low_credit: z.strictObject({
    below_eur: z
      .number(wanted("a number from 0 to 1,000,000"))
      .min(0, "must not be negative")
      .max(1_000_000, "may be 1,000,000 at most")
      .refine((value) => Number(value.toFixed(6)) === value, "may have six fraction digits at most")
      .default(5)
      .describe("Alerts at this credit in euros or less.")
      .meta({ title: "Credit in euros" }),
  }),
  error_rate: z.strictObject({
    above_percent: integerFrom("Failed requests in percent", "Alerts at this percentage.", [1, 100], 10),
    window_minutes: windowMinutes,
    min_requests: minRequests(20),
    group_by: groupBy,
  }),
  p95_latency: z.strictObject({
    above_ms: integerFrom("Latency in milliseconds", "Alerts at this latency.", [1, 900_000], 10_000),
    measure: z
      .enum(["first_content", "duration"], { error: "must be first_content or duration" })
      .default("duration")
      .describe("Time until the first content of a streamed answer, or until the end of any answer.")
      .meta({ title: "Measure" }),
    window_minutes: windowMinutes,
    min_requests: minRequests(20),
    group_by: groupBy,
  }),
  endpoint_down: z.strictObject({
    above_percent: integerFrom("Failed attempts in percent", "Alerts at this percentage.", [1, 100], 90),
    window_minutes: integerFrom("Period in minutes", "How far back attempts count.", [1, 1_440], 5),
    min_requests: integerFrom("Attempts at least", "With fewer attempts no alert opens.", [1, 100_000], 3),
  }),
  destination_failing: z.strictObject({
    after_minutes: integerFrom(
      "After minutes",
      "How long deliveries must have failed. A destination that was stopped alerts at once.",
      [0, 10_080],
      10,
    ),
  }),
  expired_fact: z.strictObject({
    days_before: integerFrom("Days before", "Alerts this number of days before it expires.", [0, 365], 14),
  }),
  deprecated_model: z.strictObject({}),
  stale_exchange_rate: z.strictObject({
    after_days: integerFrom("After days", "Alerts when the rate is older than this.", [1, 365], 4),
  }),
} as const satisfies Record<(typeof alertKindNames)[number], z.ZodObject>;

/** What a rule watches. */
export const AlertKind = z.enum(alertKindNames, { error: `must be one of ${alertKindNames.join(", ")}` });

export type AlertKind = z.infer<typeof AlertKind>;

/** The settings of a kind, complete with defaults. */
export type AlertSettings<Kind extends AlertKind> = z.output<(typeof alertSettings)[Kind]>;

/** The schema of a kind's settings, without its particular type. */
export const settingsSchemaOf = (kind: AlertKind): z.ZodObject => alertSettings[kind];

export const AlertKindDescription = z
  .object({
    kind: z.string().describe("Identifier of the kind, to be sent as `kind` of a rule."),
    title: z.string().describe("Display name of the kind."),
    description: z.string().describe("When it alerts."),
    scopes: z.array(z.string()).describe("The scopes that a rule of this kind may have."),
    settings_schema: z
      .record(z.string(), z.json())
      .describe("JSON Schema of `settings` for this kind, with defaults."),
  })
  .meta({ id: "AlertKind" });
export type AlertKindDescription = z.infer<typeof AlertKindDescription>;

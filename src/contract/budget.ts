import { z } from "zod";
import { answered } from "./answered.ts";
import { isPlainDimension } from "./budget-dimensions.ts";
import { Paging, QueryBoolean, Timestamp, Uuid } from "./common.ts";
import { ModelName } from "./completions.ts";
import { list } from "./list.ts";

/** What a budget counts. */
export const BudgetMeasure = z.enum(["eur", "usd", "tokens", "requests", "concurrency"], {
  error: "must be eur, usd, tokens, requests or concurrency",
});
export type BudgetMeasure = z.infer<typeof BudgetMeasure>;

export const isMoney = (measure: BudgetMeasure): boolean => measure === "eur" || measure === "usd";

/** How often a budget starts again (UTC; weeks start on Monday). */
export const BudgetPeriod = z.enum(["minute", "hour", "day", "week", "month", "total", "none"], {
  error: "must be minute, hour, day, week, month, total or none",
});
export type BudgetPeriod = z.infer<typeof BudgetPeriod>;

const nameMessage =
  "must be workspace, key, person, model, end_user, or metadata. with a key such as metadata.team";
/** A plain dimension, or a key of `metadata`. */
export const BudgetDimensionName = z
  .string()
  .max(73, nameMessage)
  .regex(/^(?:workspace|key|person|model|end_user|metadata\.[A-Za-z0-9_.-]{1,64})$/, nameMessage);

export const BudgetDimension = z
  .strictObject({
    dimension: BudgetDimensionName.describe(
      "What distinguishes requests: `workspace`, `key`, `person`, `model`, `end_user`, or `metadata.KEY` for a key of " +
        "their `metadata`.",
    ),
    value: ModelName.nullable().describe(
      "The ID of the workspace, key, person or model, the `user` of requests, or the value of the key of `metadata`; null " +
        "to count each value separately.",
    ),
  })
  .meta({ id: "BudgetDimension" });
export type BudgetDimension = z.infer<typeof BudgetDimension>;

const ownRows: ReadonlySet<string> = new Set(["workspace", "key", "person"]);
const isUuid = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

const Name = z.string().trim().min(1, "must not be empty").max(100, "may have 100 characters at most");
const amountMax = 1_000_000_000_000;
const Amount = z
  .number()
  .min(0, "must not be negative")
  .max(amountMax, "may be 1,000,000,000,000 at most")
  .refine((value) => Number(value.toFixed(6)) === value, "may have six fraction digits at most")
  .describe("How much is allowed per period: euros or US dollars for money, else a whole number.");

/** The problem of a limit for a measure; null if there is none. */
export const limitProblem = (measure: BudgetMeasure, limit: number): string | null =>
  isMoney(measure) || Number.isInteger(limit) ? null : `must be a whole number of ${measure}`;

/** The problem of the value of a dimension; null if there is none. */
function valueProblem({ dimension, value }: BudgetDimension): string | null {
  if (value === null) return null;
  if (ownRows.has(dimension) && !isUuid(value))
    return "must be a UUID, or null to count each value separately";
  const isOneLine = value === value.trim() && !/\p{Cc}/u.test(value);
  return isPlainDimension(dimension) || isOneLine ? null : "must be one line without spaces at its ends";
}

const dimensionsMax = 8;
const Dimensions = list(BudgetDimension).max(dimensionsMax, `may have ${dimensionsMax} dimensions at most`);

const use = z
  .object({
    used: z.number().describe("Used in the current period, in the unit of `limit`."),
    held: z
      .number()
      .describe("Reserved for running requests or by processes; a process returns what it does not need."),
    remaining: z.number().describe("`limit` without `used`; 0 if nothing is left."),
    counters: z.number().int().describe("Number of combinations of values with requests in this period."),
    values: z
      .array(z.string())
      .describe(
        "Where dimensions are counted separately: the values with the highest use, which `used` reports.",
      ),
    resets_at: Timestamp.nullable().describe("End of the current period; null if it never ends."),
  })
  .describe("Use in the current period.");
export type BudgetUse = z.infer<typeof use>;

export const Budget = z
  .object({
    id: Uuid.describe("ID of the budget."),
    name: z.string().describe("Name of the budget, which refusals contain."),
    measure: BudgetMeasure.describe(
      "What is counted: cost in euros or US dollars, tokens of prompts and answers, requests, or parallel requests.",
    ),
    limit: z.number().describe("How much is allowed per period."),
    period: BudgetPeriod.describe(
      "How often the budget starts again (UTC; weeks start on Monday): `total` never; `none` for parallel requests.",
    ),
    dimensions: answered(z.array(BudgetDimension)).describe(
      "Which requests count; empty for all of the organisation.",
    ),
    enabled: z.boolean().describe("Whether the budget counts and refuses requests."),
    problem: z
      .string()
      .nullable()
      .describe(
        "Why the stored budget cannot be read; all requests of the organisation are then refused while the budget is enabled. Null if they can be read.",
      ),
    use,
    created_at: Timestamp.describe("Time the budget was created."),
    updated_at: Timestamp.describe("Time the budget was last changed."),
  })
  .meta({ id: "Budget" });
export type Budget = z.infer<typeof Budget>;

export const BudgetCreate = z
  .strictObject({
    name: Name.describe("Name of the budget, unique in the organisation."),
    measure: BudgetMeasure.describe("What is counted."),
    limit: Amount,
    period: BudgetPeriod.describe(
      "How often the budget starts again (UTC; weeks start on Monday): `total` never; `none` for `concurrency` only.",
    ),
    dimensions: Dimensions.default([]).describe(
      "Which requests count, each dimension once at most; empty or omitted for all of the organisation.",
    ),
    enabled: z.boolean().default(true).describe("Whether the budget counts and refuses requests."),
  })
  .superRefine(({ measure, limit, period, dimensions }, { addIssue }) => {
    const issue = (path: (string | number)[], message: string) => addIssue({ code: "custom", path, message });
    const problem = limitProblem(measure, limit);
    if (problem !== null) issue(["limit"], problem);
    if ((measure === "concurrency") !== (period === "none"))
      issue(
        ["period"],
        measure === "concurrency" ? "must be none for concurrency" : "may be none for concurrency only",
      );
    dimensions.forEach((one, at) => {
      if (dimensions.findIndex(({ dimension }) => dimension === one.dimension) !== at)
        issue(["dimensions", at, "dimension"], "must not be repeated");
      const wrong = valueProblem(one);
      if (wrong !== null) issue(["dimensions", at, "value"], wrong);
    });
  });
export type BudgetCreate = z.infer<typeof BudgetCreate>;

/** What a budget counts cannot change, because its counters would mean something else. */
export const BudgetUpdate = z.strictObject({
  id: Uuid.describe("ID of the budget."),
  name: Name.optional().describe("New name, unique in the organisation."),
  limit: Amount.optional(),
  enabled: z
    .boolean()
    .optional()
    .describe("Whether the budget counts and refuses requests. What it has counted in this period remains."),
});
export type BudgetUpdate = z.infer<typeof BudgetUpdate>;

export const BudgetListQuery = Paging.extend({
  search: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(100, "may have 100 characters at most")
    .describe("Text to find in the name.")
    .optional(),
  measure: BudgetMeasure.describe("Return only budgets with this measure.").optional(),
  period: BudgetPeriod.describe("Return only budgets with this period.").optional(),
  enabled: QueryBoolean.describe(
    "Return only budgets that are enabled, or only those that are not.",
  ).optional(),
});
export type BudgetListQuery = z.infer<typeof BudgetListQuery>;

/** What a budget means for a request that was not sent. */
export const BudgetForecast = z.object({
  id: Uuid.describe("ID of the budget."),
  name: z.string().describe("Name of the budget."),
  measure: BudgetMeasure.describe("What the budget counts."),
  limit: z.number().describe("How much is allowed per period."),
  remaining: z.number().describe("How much is left for the values of the request."),
  resets_at: Timestamp.nullable().describe("End of the current period; null if it never ends."),
  model: z.string().nullable().describe("The model that the budget counts alone; null for every model."),
  stops: z.boolean().describe("Whether nothing is left, so that a request would be refused."),
});
export type BudgetForecast = z.infer<typeof BudgetForecast>;

import { z } from "zod";
import { list } from "./list.ts";

/** What a filter can look at. */
export const FilterField = z.enum([
  "model",
  "provider",
  "session_id",
  "user_id",
  "api_key_name",
  "finish_reason",
  "input",
  "output",
  "total_cost",
  "total_tokens",
  "prompt_tokens",
  "completion_tokens",
]);
export type FilterField = z.infer<typeof FilterField>;

export const FilterOperator = z.enum([
  "equals",
  "not_equals",
  "contains",
  "not_contains",
  "regex",
  "starts_with",
  "ends_with",
  "gt",
  "lt",
  "gte",
  "lte",
  "exists",
  "not_exists",
]);
export type FilterOperator = z.infer<typeof FilterOperator>;

const numeric = new Set<string>(["gt", "lt", "gte", "lte"]);
const valueless = new Set<string>(["exists", "not_exists"]);

const FilterRule = z
  .strictObject({
    field: FilterField.describe(
      "Field of the generation to compare. `user_id` is the `user` of the request; `total_cost` is in US dollars.",
    ),
    operator: FilterOperator.describe(
      "Comparison to make. Text is compared case-sensitively; `gt`, `lt`, `gte` and `lte` compare numbers.",
    ),
    value: z
      .union([z.string().max(256, "may have 256 characters at most"), z.number()])
      .optional()
      .describe(
        "Text or number to compare with, at most 256 characters. Not required for `exists` and `not_exists`.",
      ),
  })
  .check(({ value: rule, issues }) => {
    const message = valueless.has(rule.operator)
      ? null
      : rule.value === undefined
        ? `is required for ${rule.operator}`
        : numeric.has(rule.operator) && !Number.isFinite(Number(rule.value || Number.NaN))
          ? `must be a number for ${rule.operator}`
          : null;
    if (message) issues.push({ code: "custom", message, path: ["value"], input: rule.value });
  });
export type FilterRule = z.infer<typeof FilterRule>;

/** A generation passes when any group does; a group as its `logic` says. */
export const FilterRules = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe("Whether the filter is in effect. If false, all generations pass."),
  groups: list(
    z.strictObject({
      logic: z
        .enum(["and", "or"])
        .default("and")
        .describe("Whether all rules of the group have to match (`and`) or any of them (`or`)."),
      rules: list(FilterRule)
        .min(1)
        .max(20, "may hold 20 rules at most")
        .describe("Rules of the group, 1 to 20."),
    }),
  )
    .max(10, "may hold 10 groups at most")
    .describe(
      "Groups of rules, at most 10. A generation passes if any group matches, or if there are no groups.",
    ),
});
export type FilterRules = z.infer<typeof FilterRules>;

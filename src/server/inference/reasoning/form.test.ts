import { expect, test } from "vitest";
import { AppError } from "#server/platform/errors.ts";
import { effortOfBudget, nearestLevel, type ReasoningFields, reasoningOf, wantsReasoning } from "./form.ts";

const none = { effort: null, budgetTokens: null, enabled: null, exclude: false, summary: null };

test.each<readonly [ReasoningFields, object, boolean | null]>([
  [{}, none, null],
  [{ reasoning: {} }, none, null],
  [{ reasoning: null, reasoning_effort: null }, none, null],
  [{ reasoning_effort: "high" }, { ...none, effort: "high" }, true],
  [{ reasoning: { effort: "low" } }, { ...none, effort: "low" }, true],
  [{ reasoning: { effort: "low" }, reasoning_effort: "low" }, { ...none, effort: "low" }, true],
  [{ reasoning_effort: "none" }, { ...none, effort: "none" }, false],
  [{ reasoning: { max_tokens: 2000 } }, { ...none, budgetTokens: 2000 }, true],
  [{ reasoning: { max_tokens: 0 } }, { ...none, budgetTokens: 0 }, false],
  [{ reasoning: { enabled: true } }, { ...none, enabled: true }, true],
  [{ reasoning: { enabled: false } }, { ...none, enabled: false }, false],
  [{ reasoning: { enabled: true, effort: "high" } }, { ...none, enabled: true, effort: "high" }, true],
  [{ reasoning: { enabled: false, effort: "none" } }, { ...none, enabled: false, effort: "none" }, false],
  [{ reasoning: { exclude: true, summary: "auto" } }, { ...none, exclude: true, summary: "auto" }, null],
  [{ include_reasoning: false }, { ...none, exclude: true }, null],
  [{ include_reasoning: true }, none, null],
  [
    { thinking: { type: "enabled", budget_tokens: 1024 } },
    { ...none, enabled: true, budgetTokens: 1024 },
    true,
  ],
  [
    { thinking: { type: "adaptive" }, reasoning_effort: "max" },
    { ...none, enabled: true, effort: "max" },
    true,
  ],
  [{ thinking: { type: "disabled" } }, { ...none, enabled: false }, false],
])("%j is one form", (request, form, wanted) => {
  expect(reasoningOf(request)).toMatchObject(form);
  expect(wantsReasoning(reasoningOf(request))).toBe(wanted);
});

test.each<readonly [ReasoningFields, string, string]>([
  [{ reasoning: { effort: "high", max_tokens: 2000 } }, "reasoning.max_tokens", "reasoning.effort"],
  [{ reasoning: { max_tokens: 2000 }, reasoning_effort: "low" }, "reasoning.max_tokens", "reasoning_effort"],
  [{ reasoning: { effort: "high" }, reasoning_effort: "low" }, "reasoning_effort", "reasoning.effort"],
  [{ reasoning: { enabled: false, effort: "low" } }, "reasoning.enabled", "reasoning.effort"],
  [{ reasoning: { enabled: true, effort: "none" } }, "reasoning.enabled", "reasoning.effort"],
  [{ reasoning: { enabled: true, max_tokens: 0 } }, "reasoning.enabled", "reasoning.max_tokens"],
  [{ reasoning: { exclude: true }, include_reasoning: true }, "include_reasoning", "reasoning.exclude"],
  [{ reasoning: { enabled: true }, thinking: { type: "disabled" } }, "thinking.type", "reasoning.enabled"],
  [
    { reasoning: { max_tokens: 1 }, thinking: { type: "enabled", budget_tokens: 2 } },
    "thinking.budget_tokens",
    "reasoning.max_tokens",
  ],
  [{ thinking: { type: "disabled" }, reasoning_effort: "high" }, "thinking.type", "reasoning_effort"],
])("%j is refused: the error names both fields", (request, param, other) => {
  const refused = () => reasoningOf(request);
  expect(refused).toThrow(AppError);
  expect(refused).toThrow(expect.objectContaining({ code: "BAD_REQUEST", param }));
  expect(refused).toThrow(other);
});

test("the fields a client used are known for reports", () => {
  expect(reasoningOf({ thinking: { type: "enabled" }, reasoning_effort: "low" }).names).toEqual({
    effort: "reasoning_effort",
    budget: "reasoning.max_tokens",
    enabled: "thinking.type",
    exclude: "reasoning.exclude",
  });
});

test.each([
  ["medium", ["low", "high"], "low"],
  ["minimal", ["low", "high"], "low"],
  ["max", ["low", "high"], "high"],
  ["xhigh", ["none", "max"], "max"],
  ["high", ["none"], null],
  ["high", [], null],
] as const)(
  "the level for %s among %j is %s: never more reasoning than asked, if there is less",
  (effort, levels, level) => {
    expect(nearestLevel(effort, levels)).toBe(level);
  },
);

test.each([
  [1, "low"],
  [2_048, "low"],
  [2_049, "medium"],
  [8_192, "medium"],
  [10_000, "high"],
  [1_000_000, "max"],
] as const)("%i tokens are the effort %s", (tokens, effort) => {
  expect(effortOfBudget(tokens)).toBe(effort);
});

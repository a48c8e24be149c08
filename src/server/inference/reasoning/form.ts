import { ReasoningEffort, type ReasoningSummary } from "#contract/reasoning.ts";
import { AppError } from "#server/platform/errors.ts";
import type { Json } from "../wires/shared/json.ts";

/** The fields of a request in which clients say how a model should reason. All other fields are ignored. */
export interface ReasoningFields {
  readonly reasoning?: {
    readonly effort?: ReasoningEffort | null | undefined;
    readonly max_tokens?: number | null | undefined;
    readonly enabled?: boolean | null | undefined;
    readonly exclude?: boolean | null | undefined;
    readonly summary?: ReasoningSummary | null | undefined;
    readonly [name: string]: unknown;
  } | null;
  readonly reasoning_effort?: ReasoningEffort | null | undefined;
  readonly include_reasoning?: boolean | null | undefined;
  readonly thinking?: {
    readonly type: "enabled" | "disabled" | "adaptive";
    readonly budget_tokens?: number | null | undefined;
    readonly [name: string]: unknown;
  } | null;
}

/** How a model should reason, whatever the names a client used. Null: not said. */
export interface ReasoningForm {
  readonly effort: ReasoningEffort | null;
  readonly budgetTokens: number | null;
  readonly enabled: boolean | null;
  readonly exclude: boolean;
  readonly summary: ReasoningSummary | null;
  /** The fields the client used, for reports. */
  readonly names: {
    readonly effort: string;
    readonly budget: string;
    readonly enabled: string;
    readonly exclude: string;
  };
  /** The fields as they came, for providers about which nothing is known. */
  readonly given: Json;
}

const defaultNames = {
  effort: "reasoning.effort",
  budget: "reasoning.max_tokens",
  enabled: "reasoning.enabled",
  exclude: "reasoning.exclude",
};

const nothing: ReasoningForm = {
  effort: null,
  budgetTokens: null,
  enabled: null,
  exclude: false,
  summary: null,
  names: defaultNames,
  given: {},
};

const conflict = (param: string, message: string): AppError =>
  new AppError("BAD_REQUEST", `${param}: ${message}`, { param });

/** One value that two fields may give. Throws `AppError` if they differ. */
function agreed<T>(
  first: readonly [name: string, value: T | null | undefined],
  second: readonly [name: string, value: T | null | undefined],
): { readonly name: string; readonly value: T | null } {
  const [name, value] = first;
  const [otherName, other] = second;
  if (value != null && other != null && value !== other)
    throw conflict(otherName, `contradicts ${name}; send one of them`);
  return value == null && other != null ? { name: otherName, value: other } : { name, value: value ?? null };
}

/** Throws `AppError` if the fields of a request contradict each other. */
function assertConsistent({ effort, budgetTokens, enabled, names }: ReasoningForm): void {
  const isOff = effort === "none" && budgetTokens === 0;
  // The rule of OpenRouter, whose object this is.
  if (effort !== null && budgetTokens !== null && !isOff)
    throw conflict(names.budget, `cannot be combined with ${names.effort}; send one of them`);
  const [amount, other] =
    budgetTokens === null ? [effort !== "none", names.effort] : [budgetTokens > 0, names.budget];
  if (enabled !== null && (effort !== null || budgetTokens !== null) && amount !== enabled)
    throw conflict(names.enabled, `contradicts ${other}; send one of them`);
}

/**
 * What a request says about reasoning, in one form. Throws `AppError` BAD_REQUEST, with the field as `param`, if its
 * fields contradict each other.
 */
export function reasoningOf(request: ReasoningFields): ReasoningForm {
  const { reasoning, reasoning_effort, include_reasoning, thinking } = request;
  if (reasoning == null && reasoning_effort == null && include_reasoning == null && thinking == null)
    return nothing;
  const effort = agreed(["reasoning.effort", reasoning?.effort], ["reasoning_effort", reasoning_effort]);
  const budget = agreed(
    ["reasoning.max_tokens", reasoning?.max_tokens],
    ["thinking.budget_tokens", thinking?.budget_tokens],
  );
  const enabled = agreed(
    ["reasoning.enabled", reasoning?.enabled],
    ["thinking.type", thinking && thinking.type !== "disabled"],
  );
  const exclude = agreed(
    ["reasoning.exclude", reasoning?.exclude],
    ["include_reasoning", include_reasoning == null ? null : !include_reasoning],
  );
  const form: ReasoningForm = {
    effort: effort.value,
    budgetTokens: budget.value,
    enabled: enabled.value,
    exclude: exclude.value ?? false,
    summary: reasoning?.summary ?? null,
    names: { effort: effort.name, budget: budget.name, enabled: enabled.name, exclude: exclude.name },
    given: {
      ...(reasoning != null && { reasoning }),
      ...(reasoning_effort != null && { reasoning_effort }),
      ...(include_reasoning != null && { include_reasoning }),
      ...(thinking != null && { thinking }),
    },
  };
  assertConsistent(form);
  return form;
}

/** Throws as `reasoningOf` does. For the check before a request is planned. */
export const assertReasoning = (request: ReasoningFields): void => void reasoningOf(request);

/** Whether the client asks for reasoning, for none, or leaves it to the model (null). */
export function wantsReasoning({ effort, budgetTokens, enabled }: ReasoningForm): boolean | null {
  if (enabled === false || effort === "none" || budgetTokens === 0) return false;
  return enabled === true || effort !== null || budgetTokens !== null ? true : null;
}

/** The field by which the client decided whether there is reasoning. */
export const decisionName = ({ effort, budgetTokens, names }: ReasoningForm): string =>
  effort !== null ? names.effort : budgetTokens !== null ? names.budget : names.enabled;

/** The efforts, from least to most; `none` is not one of them, it switches reasoning off. */
export const efforts: readonly ReasoningEffort[] = ReasoningEffort.options.filter((each) => each !== "none");

/** The level that is nearest below the effort, or else the lowest one; null if there are none. */
export function nearestLevel(
  effort: ReasoningEffort,
  levels: readonly ReasoningEffort[],
): ReasoningEffort | null {
  const rank = efforts.indexOf(effort);
  const known = efforts.filter((each) => levels.includes(each));
  return known.findLast((each) => efforts.indexOf(each) <= rank) ?? known[0] ?? null;
}

/** Tokens that stand for an effort, for models that take a number: our choice. */
const budgets: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 65_536,
};

export const budgetOfEffort = (effort: ReasoningEffort): number => budgets[effort];

/** The least effort whose tokens cover a budget. */
export const effortOfBudget = (tokens: number): ReasoningEffort =>
  efforts.find((effort) => effort !== "minimal" && budgets[effort] >= tokens) ?? "max";

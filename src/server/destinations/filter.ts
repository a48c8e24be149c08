import type { FilterField, FilterOperator, FilterRules } from "#contract/destination-filter.ts";
import type { TraceContent } from "#contract/trace-content.ts";
import { AppError } from "#server/platform/errors.ts";
import { linearPattern } from "#server/platform/linear-pattern.ts";
import { numberFromPico } from "#server/platform/money.ts";
import { plainText } from "./trace/chat-messages.ts";
import type { GenerationFacts } from "./trace/facts.ts";

export interface Filtered {
  readonly facts: GenerationFacts;
  readonly keyName: string;
  /** Made only when a rule asks for it. */
  readonly content: () => TraceContent;
}

type Value = string | number | null;

const said = (content: TraceContent, side: "input" | "output"): string =>
  content[side].map(plainText).join("\n");

const fields: Record<FilterField, (of: Filtered) => Value> = {
  model: ({ facts }) => facts.model ?? facts.model_requested,
  provider: ({ facts }) => facts.provider,
  session_id: ({ facts }) => facts.session_id,
  user_id: ({ facts }) => facts.user_reference,
  api_key_name: ({ keyName }) => keyName,
  finish_reason: ({ facts }) => facts.finish_reason,
  input: ({ content }) => said(content(), "input"),
  output: ({ content }) => said(content(), "output"),
  total_cost: ({ facts }) => numberFromPico(BigInt(facts.cost_pico_usd)),
  total_tokens: ({ facts }) => facts.prompt_tokens + facts.completion_tokens,
  prompt_tokens: ({ facts }) => facts.prompt_tokens,
  completion_tokens: ({ facts }) => facts.completion_tokens,
};

const textOf = (value: Value): string => (value === null ? "" : String(value));

const operators: Record<FilterOperator, (value: Value, wanted: string | number) => boolean> = {
  equals: (value, wanted) => textOf(value) === String(wanted),
  not_equals: (value, wanted) => textOf(value) !== String(wanted),
  contains: (value, wanted) => textOf(value).includes(String(wanted)),
  not_contains: (value, wanted) => !textOf(value).includes(String(wanted)),
  regex: (value, wanted) => linearPattern(String(wanted))?.test(textOf(value)) ?? false,
  starts_with: (value, wanted) => textOf(value).startsWith(String(wanted)),
  ends_with: (value, wanted) => textOf(value).endsWith(String(wanted)),
  gt: (value, wanted) => Number(value) > Number(wanted),
  lt: (value, wanted) => Number(value) < Number(wanted),
  gte: (value, wanted) => Number(value) >= Number(wanted),
  lte: (value, wanted) => Number(value) <= Number(wanted),
  exists: (value) => value !== null && value !== "",
  not_exists: (value) => value === null || value === "",
};

/** Whether a generation passes: any group, and in it all or any of its rules. No groups let everything pass. */
export function passes(rules: FilterRules | null, of: Filtered): boolean {
  if (!rules?.enabled || rules.groups.length === 0) return true;
  return rules.groups.some((group) => {
    const holds = ({ field, operator, value = "" }: (typeof group.rules)[number]) =>
      operators[operator](fields[field](of), value);
    return group.logic === "and" ? group.rules.every(holds) : group.rules.some(holds);
  });
}

/** Throws BAD_REQUEST naming the first pattern that cannot be run safely. */
export function checkPatterns(rules: FilterRules | null | undefined): void {
  rules?.groups.forEach((group, groupAt) => {
    group.rules.forEach(({ operator, value }, at) => {
      if (operator !== "regex" || linearPattern(String(value))) return;
      const param = `filter_rules.groups.${groupAt}.rules.${at}.value`;
      throw new AppError(
        "BAD_REQUEST",
        `${param}: is no pattern that runs in linear time (no back references, no look-around)`,
        { param },
      );
    });
  });
}

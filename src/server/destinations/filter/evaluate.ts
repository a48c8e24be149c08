import type { FilterField, FilterOperator, FilterRule, FilterRules } from "#contract/destination-filter.ts";
import { linearPattern } from "#server/platform/linear-pattern.ts";

/** The parts of a long text that a filter sees: its beginning and its end. */
export interface SeenText {
  readonly start: string;
  readonly end: string;
}
export type TextField = Extract<FilterField, "input" | "output">;
export type Value = string | number | null;

/** The input of a filter. `texts` is null if the content is unknown. */
export interface FilterValues {
  readonly facts: Readonly<Record<Exclude<FilterField, TextField>, Value>>;
  readonly texts: Readonly<Record<TextField, SeenText>> | null;
}

const textOf = (value: Value): string => (value === null ? "" : String(value));

const operators: Record<FilterOperator, (value: Value, wanted: string | number) => boolean> = {
  equals: (value, wanted) => textOf(value) === String(wanted),
  not_equals: (value, wanted) => textOf(value) !== String(wanted),
  contains: (value, wanted) => textOf(value).includes(String(wanted)),
  not_contains: (value, wanted) => !textOf(value).includes(String(wanted)),
  regex: (value, wanted) => patternOf(String(wanted))?.test(textOf(value)) ?? false,
  starts_with: (value, wanted) => textOf(value).startsWith(String(wanted)),
  ends_with: (value, wanted) => textOf(value).endsWith(String(wanted)),
  gt: (value, wanted) => Number(value) > Number(wanted),
  lt: (value, wanted) => Number(value) < Number(wanted),
  gte: (value, wanted) => Number(value) >= Number(wanted),
  lte: (value, wanted) => Number(value) <= Number(wanted),
  exists: (value) => value !== null && value !== "",
  not_exists: (value) => value === null || value === "",
};

const patternsMax = 1_000;
const patterns = new Map<string, RegExp | null>();

function patternOf(source: string): RegExp | null {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  if (patterns.size >= patternsMax) patterns.clear();
  const pattern = linearPattern(source);
  patterns.set(source, pattern);
  return pattern;
}

const isText = (field: FilterField): field is TextField => field === "input" || field === "output";

/** No rule matches an unknown text, not even one that requires the absence of something. */
function holds({ field, operator, value = "" }: FilterRule, { facts, texts }: FilterValues): boolean {
  if (!isText(field)) return operators[operator](facts[field], value);
  if (texts === null) return false;
  const { start, end } = texts[field];
  return operators[operator](operator === "ends_with" ? end : start, value);
}

/** Whether the time of a rule grows with text and pattern; such rules never run on the event loop. */
const searches = ({ field, operator }: FilterRule): boolean =>
  operator === "regex" || (isText(field) && (operator === "contains" || operator === "not_contains"));

/** The number of rules that run on the event loop; a filter with more runs elsewhere completely. */
const quickRulesMax = 20;

/** All true, any false, else undecided. */
const every = (known: readonly (boolean | null)[]): boolean | null =>
  known.includes(false) ? false : known.includes(null) ? null : true;
const some = (known: readonly (boolean | null)[]): boolean | null =>
  known.includes(true) ? true : known.includes(null) ? null : false;

const outcome = ({ groups }: FilterRules, ask: (rule: FilterRule) => boolean | null): boolean | null =>
  some(groups.map(({ logic, rules }) => (logic === "and" ? every : some)(rules.map(ask))));

const letsAllPass = (rules: FilterRules | null): rules is null =>
  !rules?.enabled || rules.groups.length === 0;

/** Whether a filter needs the content. */
export const readsTexts = (rules: FilterRules | null): boolean =>
  !letsAllPass(rules) && rules.groups.some((group) => group.rules.some(({ field }) => isText(field)));

/**
 * Whether a generation matches: any group, with all or any of its rules. Without groups everything matches. Null if
 * that requires a search, which `passes` does.
 */
export function passesQuickly(rules: FilterRules | null, values: FilterValues): boolean | null {
  if (letsAllPass(rules)) return true;
  const count = rules.groups.reduce((sum, group) => sum + group.rules.length, 0);
  if (count > quickRulesMax) return null;
  return outcome(rules, (rule) => (searches(rule) ? null : holds(rule, values)));
}

/** The complete evaluation. It may take hundreds of milliseconds. */
export const passes = (rules: FilterRules | null, values: FilterValues): boolean =>
  letsAllPass(rules) || outcome(rules, (rule) => holds(rule, values)) === true;

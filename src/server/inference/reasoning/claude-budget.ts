/** Anthropic accepts no smaller budget, and none that leaves nothing for the answer. */
const budgetMin = 1_024;
/** The share of an answer's limit that an effort may use, as OpenRouter documents it. */
const shares: Readonly<Record<string, number>> = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.95,
  max: 0.95,
};
/** The limit of an answer's length that is assumed where none is sent. */
const assumedMaxTokens = 32_000;

/** The tokens for thinking that stand for an effort in an answer of this length; null: it has no limit. */
export const budgetOfShare = (effort: string, maxTokens: number | null): number =>
  Math.round((maxTokens ?? assumedMaxTokens) * (shares[effort] ?? 0.5));

/** The nearest budget that Anthropic accepts for an answer of this length. A very short answer has none. */
export const claudeBudgetFor = (wanted: number, maxTokens: number | null): number =>
  Math.max(budgetMin, Math.min(wanted, (maxTokens ?? Number.MAX_SAFE_INTEGER) - 1));

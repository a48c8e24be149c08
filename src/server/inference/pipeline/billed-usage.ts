import { noUsage, promptTokens, type Usage } from "#server/billing/index.ts";

/** The maximum usage of one request at its endpoint. */
export interface UsageBounds {
  readonly promptTokens: number;
  /** Credit was reserved for this much, so our own counts never exceed it. */
  readonly reservedPromptTokens: number;
  readonly completionTokens: number;
  readonly searchUnits: number;
}

/** Our own token counts, for providers that report none. */
export interface UsageEstimate {
  readonly promptTokens: () => number;
  readonly completionTokens: () => number;
}

/** Providers may exceed the limit by a token, and round; that is reduced silently. */
const isExcess = (reported: number, bound: number): boolean => reported > bound * 1.01 + 16;

/**
 * The billed usage of an answer: what the provider reports, at most what the request could use. An invalid figure is
 * replaced by our own count. `implausible` says that a figure could not be right.
 */
export function billedUsage(reported: Usage | null, bounds: UsageBounds, estimate: UsageEstimate): Usage {
  const estimatedPrompt = () => Math.min(estimate.promptTokens(), bounds.reservedPromptTokens);
  if (reported === null)
    return {
      ...noUsage,
      uncached: estimatedPrompt(),
      completion: Math.min(estimate.completionTokens(), bounds.completionTokens),
      estimated: true,
    };
  const prompt = promptTokens(reported);
  const { completion, searchUnits } = reported;
  const fits =
    prompt <= bounds.promptTokens &&
    completion <= bounds.completionTokens &&
    searchUnits <= bounds.searchUnits;
  if (fits && !reported.implausible) return reported;
  const counted = (figure: number, count: () => number): number =>
    reported.implausible && figure === 0 ? count() : figure;
  const cacheRead = Math.min(reported.cacheRead, bounds.promptTokens);
  const cacheWrite = Math.min(reported.cacheWrite, bounds.promptTokens - cacheRead);
  const promptBilled = Math.min(counted(prompt, estimatedPrompt), bounds.promptTokens);
  const completionBilled = Math.min(counted(completion, estimate.completionTokens), bounds.completionTokens);
  return {
    uncached: Math.max(0, promptBilled - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite,
    cacheWriteHour: Math.min(reported.cacheWriteHour, cacheWrite),
    audioPrompt: Math.min(reported.audioPrompt, promptBilled),
    completion: completionBilled,
    reasoning: Math.min(reported.reasoning, completionBilled),
    audioCompletion: Math.min(reported.audioCompletion, completionBilled),
    predictionAccepted: Math.min(reported.predictionAccepted, completionBilled),
    predictionRejected: Math.min(reported.predictionRejected, completionBilled),
    searchUnits: Math.min(searchUnits, bounds.searchUnits),
    estimated: reported.estimated || reported.implausible,
    implausible:
      reported.implausible ||
      isExcess(prompt, bounds.promptTokens) ||
      isExcess(completion, bounds.completionTokens) ||
      isExcess(searchUnits, bounds.searchUnits),
  };
}

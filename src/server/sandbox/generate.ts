import { seededRandom } from "./seeded.ts";
import { seededTokens, tokenize } from "./text.ts";

export interface Token {
  readonly text: string;
  readonly logprob: number;
  /** Most likely first, this token among them; probabilities add up to less than 1. */
  readonly alternatives: readonly { readonly text: string; readonly logprob: number }[];
}

/** One generated choice, before any wire gives it a shape. */
export interface Generated {
  readonly index: number;
  readonly reasoning: readonly string[];
  readonly tokens: readonly Token[];
  readonly finish: "stop" | "length";
}

export interface Wanted {
  readonly index: number;
  readonly seed: number;
  readonly text: string;
  readonly reasoningTokens: number;
  readonly maxTokens: number | null | undefined;
  readonly stop: string | readonly string[] | null | undefined;
  readonly alternatives: number;
}

/** The text before the first stop sequence in it. */
function beforeStop(text: string, stop: Wanted["stop"]): string {
  const sequences = [stop ?? []].flat().filter(Boolean);
  const cuts = sequences.map((sequence) => text.indexOf(sequence)).filter((at) => at >= 0);
  return text.slice(0, Math.min(text.length, ...cuts));
}

/** Gives tokens log probabilities that agree with each other and depend on nothing but the seed. */
function withLogprobs(texts: readonly string[], seed: number, alternatives: number): Token[] {
  const random = seededRandom(seed ^ 0x5eed);
  return texts.map((text, at) => {
    const likely = 0.5 + 0.45 * random();
    const others = Array.from({ length: Math.max(0, alternatives - 1) }, (_, rank) => ({
      text: ` ${String.fromCharCode(97 + ((at + rank) % 26))}${rank}`,
      logprob: Math.log((1 - likely) / 2 ** (rank + 1)),
    }));
    const own = { text, logprob: Math.log(likely) };
    return { ...own, alternatives: alternatives > 0 ? [own, ...others] : [] };
  });
}

/** Cuts the wanted text to its stop sequences and its limit; reasoning is paid from the same limit first. */
export function generate(wanted: Wanted): Generated {
  const limit = wanted.maxTokens ?? Number.POSITIVE_INFINITY;
  const reasoning = seededTokens(wanted.seed + 1, Math.min(wanted.reasoningTokens, limit));
  const all = tokenize(beforeStop(wanted.text, wanted.stop));
  const texts = all.slice(0, limit - reasoning.length);
  return {
    index: wanted.index,
    reasoning,
    tokens: withLogprobs(texts, wanted.seed, wanted.alternatives),
    finish: texts.length < all.length ? "length" : "stop",
  };
}

const reasoningByEffort: Record<string, number> = {
  none: 0,
  minimal: 4,
  low: 8,
  medium: 16,
  high: 32,
  xhigh: 64,
};

/** Reasoning tokens a request asks for: by effort, by number, or none. */
export function reasoningTokensOf(request: {
  readonly reasoning?: { effort?: string | null; max_tokens?: number | null } | null;
  readonly reasoning_effort?: string | null;
}): number {
  const { reasoning, reasoning_effort } = request;
  if (reasoning?.max_tokens !== undefined && reasoning.max_tokens !== null) return reasoning.max_tokens;
  const effort = reasoning?.effort ?? reasoning_effort ?? (reasoning ? "medium" : "none");
  return reasoningByEffort[effort] ?? 16;
}

/** OpenAI's usage object for what was generated, and the same figures for the record. */
export function usageOf(promptTokens: number, cachedTokens: number, choices: readonly Generated[]) {
  const reasoningTokens = choices.reduce((sum, { reasoning }) => sum + reasoning.length, 0);
  const completionTokens = choices.reduce((sum, { tokens }) => sum + tokens.length, reasoningTokens);
  return {
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      prompt_tokens_details: { cached_tokens: cachedTokens },
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    },
    counted: {
      prompt_tokens: promptTokens,
      cached_tokens: cachedTokens,
      completion_tokens: completionTokens,
      search_units: 0,
    },
  };
}

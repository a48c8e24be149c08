/**
 * What a generation consumed, in one form for every dialect: `prompt = uncached + cacheRead + cacheWrite`,
 * `reasoning` is a part of `completion`.
 */
export interface Usage {
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly completion: number;
  readonly reasoning: number;
  readonly searchUnits: number;
  /** True when the upstream gave no figures and these are counted by us. */
  readonly estimated: boolean;
}

export const noUsage: Usage = {
  uncached: 0,
  cacheRead: 0,
  cacheWrite: 0,
  completion: 0,
  reasoning: 0,
  searchUnits: 0,
  estimated: false,
};

export const promptTokens = (usage: Usage): number => usage.uncached + usage.cacheRead + usage.cacheWrite;

const count = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0
    ? Math.min(Math.round(value), 2 ** 31 - 1)
    : 0;

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/**
 * Usage as OpenAI's completions and chat objects spell it; null when there is none to read.
 * Parts an upstream reports larger than their whole are cut down to it.
 */
export function usageFromOpenAi(value: unknown): Usage | null {
  if (typeof value !== "object" || value === null) return null;
  const usage = record(value);
  const prompt = count(usage.prompt_tokens);
  const completion = count(usage.completion_tokens);
  if (prompt === 0 && completion === 0) return null;
  const promptDetails = record(usage.prompt_tokens_details);
  const cacheRead = Math.min(count(promptDetails.cached_tokens), prompt);
  const cacheWrite = Math.min(count(promptDetails.cache_write_tokens), prompt - cacheRead);
  const reasoning = Math.min(count(record(usage.completion_tokens_details).reasoning_tokens), completion);
  return {
    uncached: prompt - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    completion,
    reasoning,
    searchUnits: 0,
    estimated: false,
  };
}

/** Tokens of a text when nobody tells us: four UTF-8 bytes each, at least one for any text at all. */
export const estimateTokens = (text: string): number =>
  text === "" ? 0 : Math.ceil(Buffer.byteLength(text) / 4);

/**
 * What a generation consumed, in one form for every dialect: `prompt = uncached + cacheRead + cacheWrite`,
 * `reasoning` and `audioCompletion` are parts of `completion`, `audioPrompt` of the prompt, `cacheWriteHour` of
 * `cacheWrite`. Create it from `noUsage` and the known figures.
 */
export interface Usage {
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Cached for an hour, if the provider reports it separately; the rest is cached for five minutes. */
  readonly cacheWriteHour: number;
  readonly audioPrompt: number;
  readonly completion: number;
  readonly reasoning: number;
  readonly audioCompletion: number;
  /** Tokens of the client's predicted answer that the provider used, and that it generated in vain; both billed. */
  readonly predictionAccepted: number;
  readonly predictionRejected: number;
  readonly searchUnits: number;
  /** True if the upstream gave no figures and these are our estimate. */
  readonly estimated: boolean;
  /** True if the upstream's figures cannot be right and were replaced. */
  readonly implausible: boolean;
}

export const noUsage: Usage = {
  uncached: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWriteHour: 0,
  audioPrompt: 0,
  completion: 0,
  reasoning: 0,
  audioCompletion: 0,
  predictionAccepted: 0,
  predictionRejected: 0,
  searchUnits: 0,
  estimated: false,
  implausible: false,
};

export const promptTokens = (usage: Usage): number => usage.uncached + usage.cacheRead + usage.cacheWrite;

/** Reads the figures of one usage object, and records whether one of them was not a valid count. */
export function usageFigures() {
  let implausible = false;
  return {
    /** A non-negative integer; null if there is none. */
    count(value: unknown): number | null {
      if (value === undefined || value === null) return null;
      if (typeof value === "number" && value >= 0)
        return Math.min(Math.round(value), Number.MAX_SAFE_INTEGER);
      implausible = true;
      return null;
    },
    implausible: () => implausible,
  };
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** Tokens of the answer. Some providers include reasoning tokens only in `total_tokens`, which shows their number. */
function completionOf(prompt: number, completion: number, reasoning: number, total: number): number {
  return reasoning > 0 && total === prompt + completion + reasoning ? completion + reasoning : completion;
}

/**
 * Reads usage as OpenAI's completions and chat objects contain it, with the variants of compatible APIs; null if
 * there is none. Parts that exceed their sum are reduced to it.
 */
export function usageFromOpenAi(value: unknown): Usage | null {
  if (typeof value !== "object" || value === null) return null;
  const usage = record(value);
  const figures = usageFigures();
  const count = (figure: unknown): number => figures.count(figure) ?? 0;
  const prompt = count(usage.prompt_tokens);
  const reported = count(usage.completion_tokens);
  if (prompt === 0 && reported === 0 && !figures.implausible()) return null;
  const promptDetails = record(usage.prompt_tokens_details);
  const completionDetails = record(usage.completion_tokens_details);
  const thought = count(completionDetails.reasoning_tokens);
  const completion = completionOf(prompt, reported, thought, count(usage.total_tokens));
  // DeepSeek and providers of its models report cache hits beside the prompt tokens, not in their details.
  const cached = count(promptDetails.cached_tokens ?? usage.prompt_cache_hit_tokens);
  const cacheRead = Math.min(cached, prompt);
  const cacheWrite = Math.min(count(promptDetails.cache_write_tokens), prompt - cacheRead);
  return {
    uncached: prompt - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    cacheWriteHour: Math.min(count(promptDetails.cache_write_1h_tokens), cacheWrite),
    audioPrompt: Math.min(count(promptDetails.audio_tokens), prompt),
    completion,
    reasoning: Math.min(thought, completion),
    audioCompletion: Math.min(count(completionDetails.audio_tokens), completion),
    predictionAccepted: Math.min(count(completionDetails.accepted_prediction_tokens), completion),
    predictionRejected: Math.min(count(completionDetails.rejected_prediction_tokens), completion),
    searchUnits: 0,
    estimated: false,
    implausible: figures.implausible(),
  };
}

/** The length of the longest usual token. */
const tokenBytesMax = 8;

/**
 * Estimates the tokens of a stream without usage. Most providers send one token per event; longer events are counted
 * by their bytes. Never less than the number of events with content.
 */
export const estimateStreamed = ({ events, bytes }: { events: number; bytes: number }): number =>
  bytes > events * tokenBytesMax ? Math.ceil(bytes / 4) : events;

/** Tokens of this many UTF-8 bytes of text: four bytes each. */
export const tokensOfBytes = (bytes: number): number => Math.ceil(bytes / 4);

/** Estimates the tokens of a text, at least one for any text. */
export const estimateTokens = (text: string): number => tokensOfBytes(Buffer.byteLength(text));

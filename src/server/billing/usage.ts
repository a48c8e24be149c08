/**
 * What a generation consumed, in one form for every dialect: `prompt = uncached + cacheRead + cacheWrite`,
 * `reasoning` and `audioCompletion` are parts of `completion`, `audioPrompt` of the prompt, `cacheWriteHour` of
 * `cacheWrite`. Make one of `noUsage` and what is known.
 */
export interface Usage {
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Written to be kept for an hour, where the provider tells it apart; the rest lives five minutes. */
  readonly cacheWriteHour: number;
  readonly audioPrompt: number;
  readonly completion: number;
  readonly reasoning: number;
  readonly audioCompletion: number;
  readonly searchUnits: number;
  /** True when the upstream gave no figures and these are counted by us. */
  readonly estimated: boolean;
  /** True when the upstream's figures cannot be right: others than those it gave stand here. */
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
  searchUnits: 0,
  estimated: false,
  implausible: false,
};

export const promptTokens = (usage: Usage): number => usage.uncached + usage.cacheRead + usage.cacheWrite;

/** Reads the figures of one usage object, and remembers whether one of them was no count of anything. */
export function usageFigures() {
  let implausible = false;
  return {
    /** A whole number from 0 on; null where there is none. */
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

/**
 * Tokens of the answer. Some providers leave what was thought out of `completion_tokens` and put it into the
 * total only; their sum tells.
 */
function completionOf(prompt: number, completion: number, reasoning: number, total: number): number {
  return reasoning > 0 && total === prompt + completion + reasoning ? completion + reasoning : completion;
}

/**
 * Usage as OpenAI's completions and chat objects spell it, with the dialects of those who follow it; null when
 * there is none to read. Parts an upstream reports larger than their whole are cut down to it.
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
  // DeepSeek and those who serve its models tell hits beside the prompt, not inside its details.
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
    searchUnits: 0,
    estimated: false,
    implausible: figures.implausible(),
  };
}

/** Longer than this no usual token is. */
const tokenBytesMax = 8;

/**
 * Tokens of a stream when nobody tells us. Most providers send one token an event; where events are longer than
 * tokens are, they are counted by their bytes. Never fewer than the events that had content.
 */
export const estimateStreamed = ({ events, bytes }: { events: number; bytes: number }): number =>
  bytes > events * tokenBytesMax ? Math.ceil(bytes / 4) : events;

/** Tokens of so many UTF-8 bytes of text: four bytes each. */
export const tokensOfBytes = (bytes: number): number => Math.ceil(bytes / 4);

/** Tokens of a text when nobody tells us, at least one for any text at all. */
export const estimateTokens = (text: string): number => tokensOfBytes(Buffer.byteLength(text));

/** The shortest answer that a request without a limit is admitted with, in tokens. */
export const openTokensMin = 4096;

/** The answer's limit where neither the client nor the catalogue knows one, and somebody pays for it, in tokens. */
export const openTokensMax = 32_768;

/** What a provider's template adds to one message or prompt, in tokens. */
export const templateTokens = 64;

/** Tokenizers rarely make longer tokens than this on average. */
export const bytesPerTokenMax = 6;

/** Texts rarely have more tokens than a third of their bytes. */
export const bytesPerToken = 3;

/** The approximate maximum of tokens of an image, a sound or a short file; its bytes do not count. */
export const mediaTokens = 20_000;

/** The maximum of all media together for a model whose window is not known. */
export const mediaWindowTokens = 1_000_000;

/** What providers add to a prompt themselves besides their template, such as instructions for tools. */
export const promptMarginTokens = 4_096;

/** Tools that the client runs; every other kind is run by the provider. */
export const ownTools: ReadonlySet<string> = new Set(["function", "custom"]);

/** How often a provider that runs tools may read its whole window for one answer. */
export const hostedToolRounds = 10;

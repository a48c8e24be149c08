/**
 * Tokens of an answer whose length the client leaves open, at least. Asked for in words, since some providers
 * reserve their whole window when no number is given.
 */
export const openTokensMin = 4096;

/** The same at most, for conversations: with reasoning an answer easily takes more than the least. */
export const openTokensMax = 32_768;

/** What a provider's template adds around one message or prompt, in tokens. */
export const templateTokens = 64;

/** Hardly any tokenizer makes longer tokens than this on average. */
export const bytesPerTokenMax = 6;

/** Texts hardly have more tokens than a third of their bytes. */
export const bytesPerToken = 3;

/** An image, a sound or a short file costs about so many tokens at most; its bytes do not count. */
export const mediaTokens = 20_000;

/** Media of a model whose window is not known take no more than this together. */
export const mediaWindowTokens = 1_000_000;

/** What providers put around a prompt of their own accord, beside their template: instructions for tools, say. */
export const promptMarginTokens = 4_096;

/** Tools that the client runs; every other kind is run by the provider. */
export const ownTools: ReadonlySet<string> = new Set(["function", "custom"]);

/** How often a provider that runs tools by itself may read its whole window for one answer. */
export const hostedToolRounds = 10;

/**
 * Tokens of an answer whose length the client leaves open, at least. Asked for in words, since some providers
 * reserve their whole window when no number is given (interface.md 9.2).
 */
export const openTokensMin = 4096;

/** The same at most, for conversations: with reasoning an answer easily takes more than the least (interface.md 8.1). */
export const openTokensMax = 32_768;

/** What a provider's template adds around one message or prompt, in tokens. */
export const templateTokens = 64;

/** Hardly any tokenizer makes longer tokens than this on average. */
export const bytesPerTokenMax = 6;

/** Texts hardly have more tokens than a third of their bytes. */
export const bytesPerToken = 3;

/** An image, a sound or a file costs at most about so many tokens; its bytes do not count. */
export const mediaTokens = 20_000;
